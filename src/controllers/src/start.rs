//! Putting the engine together.

use std::sync::Arc;
use std::time::Duration;

use flybridge_base::{Clock, Ids, Tasks};
use flybridge_client::MemberClients;
use flybridge_runtime::{ObjectKey, WorkQueue};
use kube::Client;

use crate::detector::Detector;
use crate::kinds::BindingKey;
use crate::members::Members;
use crate::status::work::ReportKey;
use crate::{
    Context, Options, binding, cluster, cluster_status, dependencies, execution, failover,
    namespace_sync, scheduling, status,
};

/// What the engine runs on.
pub struct Config {
    /// A client of the control plane with full rights.
    pub client: Client,
    /// The members reachable in process; others are reached as their Cluster says.
    pub members: MemberClients,
    /// The time.
    pub clock: Clock,
    /// Randomness.
    pub ids: Ids,
    /// The group the engine's tasks join.
    pub tasks: Tasks,
    /// Tunables.
    pub options: Options,
}

/// The running engine.
#[derive(Clone)]
pub struct Handle {
    context: Arc<Context>,
    queues: Arc<Queues>,
}

struct Queues {
    detector: Arc<Detector>,
    scheduling: WorkQueue<BindingKey>,
    binding: WorkQueue<BindingKey>,
    execution: WorkQueue<ObjectKey>,
    work_status: WorkQueue<ReportKey>,
    binding_status: WorkQueue<BindingKey>,
}

/// Starts every controller. They wait for the control plane if it is not there yet.
pub fn start(config: Config) -> Handle {
    let execution_queue = WorkQueue::new();
    let report_queue = WorkQueue::new();
    let members = Members::new(
        config.members,
        &config.client,
        &config.tasks,
        &config.ids,
        status::work::hook(&execution_queue, &report_queue),
    );
    let context = Arc::new(Context::start(
        &config.client,
        members,
        config.clock,
        &config.ids,
        &config.tasks,
        config.options,
    ));
    let queues = Queues {
        detector: Detector::new(&context),
        scheduling: WorkQueue::new(),
        binding: WorkQueue::new(),
        execution: execution_queue,
        work_status: report_queue,
        binding_status: WorkQueue::new(),
    };
    let handle = Handle {
        context,
        queues: Arc::new(queues),
    };
    let starting = handle.clone();
    config
        .tasks
        .spawn_until_shutdown("engine start", async move {
            starting.context.wait_synced().await;
            starting.start_controllers();
        });
    handle
}

impl Handle {
    fn start_controllers(&self) {
        let (context, queues) = (&self.context, &self.queues);
        cluster::start(context, &WorkQueue::new());
        cluster_status::start(context, &WorkQueue::new());
        namespace_sync::start(context, &WorkQueue::new());
        scheduling::start(context, &queues.scheduling);
        binding::start(context, &queues.binding);
        execution::start(context, &queues.execution);
        status::work::start(context, &queues.work_status);
        status::binding::start(context, &queues.binding_status);
        if context.options.no_execute_eviction {
            failover::taints::start(context, &WorkQueue::new());
        }
        failover::graceful::start(context, &WorkQueue::new());
        dependencies::start(context, &queues.detector, &WorkQueue::new());
        queues.detector.start();
        tracing::info!("engine started");
    }

    /// Resolves when every cache has its first listing.
    pub async fn wait_synced(&self) {
        self.context.wait_synced().await;
    }

    /// What the controllers share: caches and members.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Whether no controller on the way from template to members has anything in line.
    pub fn is_idle(&self) -> bool {
        let queues = &self.queues;
        queues.detector.templates.is_idle()
            && queues.detector.policies.is_idle()
            && queues.scheduling.is_idle()
            && queues.binding.is_idle()
            && queues.execution.is_idle()
            && queues.work_status.is_idle()
            && queues.binding_status.is_idle()
    }

    /// Stops the engine; true if everything ended within `limit`.
    pub async fn stop(&self, limit: Duration) -> bool {
        self.context.tasks.stop(limit).await
    }
}
