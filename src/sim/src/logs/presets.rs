//! What containers write, by the kind of program they run.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;

use crate::object::annotation;
use crate::seed::Seed;

/// Names the preset of a pod: `nginx`, `json` or `java`.
const PRESET: &str = "flybridge.dev/logs";

/// A kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preset {
    /// A web server's access log.
    Nginx,
    /// A service that logs one JSON object a line.
    Json,
    /// A Java service, stack traces included.
    Java,
}

/// Programs that log like a web server.
const WEB_SERVERS: [&str; 5] = ["nginx", "httpd", "caddy", "traefik", "envoy"];
/// Programs that log like a Java service.
const JAVA: [&str; 7] = [
    "java",
    "tomcat",
    "spring",
    "kafka",
    "elasticsearch",
    "jetty",
    "keycloak",
];
const PATHS: [&str; 10] = [
    "/",
    "/healthz",
    "/api/v1/orders",
    "/api/v1/cart",
    "/api/v1/products?page=2",
    "/static/app.js",
    "/static/site.css",
    "/login",
    "/search?q=shoes",
    "/api/v1/users/me",
];
const AGENTS: [&str; 4] = [
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15",
    "kube-probe/1.36",
    "curl/8.14.1",
];
const STATUSES: [u16; 12] = [200, 200, 200, 200, 200, 200, 204, 301, 304, 404, 499, 502];
const FRAMES: [&str; 6] = [
    "\tat com.example.shop.orders.OrderService.place(OrderService.java:118)",
    "\tat com.example.shop.orders.OrderController.post(OrderController.java:64)",
    "\tat java.base/jdk.internal.reflect.DirectMethodHandleAccessor.invoke(DirectMethodHandleAccessor.java:103)",
    "\tat org.springframework.web.method.support.InvocableHandlerMethod.doInvoke(InvocableHandlerMethod.java:258)",
    "\tat org.apache.catalina.core.ApplicationFilterChain.doFilter(ApplicationFilterChain.java:138)",
    "\t... 42 common frames omitted",
];
/// Lines of one stack trace: the error and its frames.
const TRACE: u64 = 7;

impl Preset {
    /// The preset of a pod's container.
    pub(super) fn of(pod: &Pod, image: &str) -> Self {
        match annotation(&pod.metadata, PRESET) {
            Some("nginx") => return Self::Nginx,
            Some("json") => return Self::Json,
            Some("java") => return Self::Java,
            _ => {}
        }
        let like = |words: &[&str]| words.iter().any(|word| image.contains(word));
        if like(&WEB_SERVERS) {
            Self::Nginx
        } else if like(&JAVA) {
            Self::Java
        } else {
            Self::Json
        }
    }

    /// What the program says when it starts; `{time}` stands for the instant.
    pub(super) const fn greeting(self) -> &'static [&'static str] {
        match self {
            Self::Nginx => &[
                "/docker-entrypoint.sh: /docker-entrypoint.d/ is not empty, will attempt to perform configuration",
                "/docker-entrypoint.sh: Configuration complete; ready for start up",
                "{time} [notice] 1#1: using the \"epoll\" event method",
                "{time} [notice] 1#1: start worker processes",
                "{time} [notice] 1#1: start worker process 29",
            ],
            Self::Json => &[
                "{\"time\":\"{time}\",\"level\":\"info\",\"msg\":\"configuration loaded\",\"files\":2}",
                "{\"time\":\"{time}\",\"level\":\"info\",\"msg\":\"database connected\",\"pool\":10}",
                "{\"time\":\"{time}\",\"level\":\"info\",\"msg\":\"listening\",\"port\":8080}",
            ],
            Self::Java => &[
                "{time}  INFO 1 --- [           main] com.example.shop.Application             : Starting Application using Java 21",
                "{time}  INFO 1 --- [           main] o.s.b.w.embedded.tomcat.TomcatWebServer  : Tomcat initialized with port 8080 (http)",
                "{time}  INFO 1 --- [           main] com.example.shop.Application             : Started Application in 0.9 seconds",
            ],
        }
    }

    /// The instant as the program prints it.
    pub(super) fn clock(self, at: Timestamp) -> String {
        let format = match self {
            Self::Nginx => "%Y/%m/%d %H:%M:%S",
            Self::Json => return format!("{at:.3}"),
            Self::Java => "%Y-%m-%d %H:%M:%S%.3f",
        };
        at.strftime(format).to_string()
    }

    /// One line of work.
    pub(super) fn line(self, seed: Seed, index: u64, at: Timestamp) -> String {
        match self {
            Self::Nginx => access(seed.at(index), at),
            Self::Json => self.json(seed.at(index), at),
            Self::Java => self.java(seed, index, at),
        }
    }

    /// What a program that fails says last.
    pub(super) fn last_words(self, at: Timestamp) -> String {
        let time = self.clock(at);
        match self {
            Self::Nginx => {
                format!("{time} [emerg] 1#1: host not found in upstream \"orders\" in /etc/nginx/conf.d/default.conf:12")
            }
            Self::Json => format!(
                "{{\"time\":\"{time}\",\"level\":\"fatal\",\"msg\":\"cannot reach database\",\"error\":\"dial tcp 10.96.0.40:5432: connect: connection refused\"}}"
            ),
            Self::Java => "Exception in thread \"main\" java.lang.IllegalStateException: Failed to load configuration".to_owned(),
        }
    }

    fn json(self, seed: Seed, at: Timestamp) -> String {
        let status = *seed.of(&["status"]).pick(&STATUSES);
        let (level, message) = match status {
            500.. => ("error", "upstream failed"),
            400.. => ("warn", "request refused"),
            _ => ("info", "request completed"),
        };
        format!(
            "{{\"time\":\"{}\",\"level\":\"{level}\",\"msg\":\"{message}\",\"method\":\"{}\",\"path\":\"{}\",\"status\":{status},\"duration_ms\":{},\"trace_id\":\"{}\"}}",
            self.clock(at),
            seed.of(&["method"])
                .pick(&["GET", "GET", "GET", "POST", "PUT"]),
            seed.of(&["path"]).pick(&PATHS),
            1 + seed.of(&["duration"]).below(400),
            seed.of(&["trace"]).hex(32),
        )
    }

    fn java(self, seed: Seed, index: u64, at: Timestamp) -> String {
        // Every so often a whole block of lines is one stack trace.
        let block = seed.of(&["block"]).at(index / TRACE);
        if block.below(9) == 0 {
            let frame = usize::try_from(index % TRACE).unwrap_or(0);
            if let Some(text) = frame.checked_sub(1).and_then(|frame| FRAMES.get(frame)) {
                return (*text).to_owned();
            }
            return format!(
                "{} ERROR 1 --- [nio-8080-exec-{}] c.e.shop.orders.OrderController          : Order failed java.util.concurrent.TimeoutException: payment did not answer in 2000 ms",
                self.clock(at),
                1 + block.at(1).below(8),
            );
        }
        let seed = seed.at(index);
        let (logger, text) = seed.of(&["text"]).pick(&[
            ("c.e.shop.orders.OrderController         ", "Order placed"),
            ("c.e.shop.cart.CartService               ", "Cart updated"),
            (
                "c.e.shop.payment.PaymentClient          ",
                "Payment authorised",
            ),
            (
                "c.z.hikari.pool.HikariPool              ",
                "Pool stats (total=10, active=3, idle=7, waiting=0)",
            ),
        ]);
        format!(
            "{}  INFO 1 --- [nio-8080-exec-{}] {logger} : {text} id={}",
            self.clock(at),
            1 + seed.of(&["thread"]).below(8),
            1000 + seed.of(&["id"]).below(9000),
        )
    }
}

fn access(seed: Seed, at: Timestamp) -> String {
    format!(
        "10.{}.{}.{} - - [{}] \"{} {} HTTP/1.1\" {} {} \"-\" \"{}\" \"-\"",
        seed.of(&["a"]).below(256),
        seed.of(&["b"]).below(256),
        1 + seed.of(&["c"]).below(254),
        at.strftime("%d/%b/%Y:%H:%M:%S +0000"),
        seed.of(&["method"])
            .pick(&["GET", "GET", "GET", "GET", "POST"]),
        seed.of(&["path"]).pick(&PATHS),
        seed.of(&["status"]).pick(&STATUSES),
        120 + seed.of(&["size"]).below(30_000),
        seed.of(&["agent"]).pick(&AGENTS),
    )
}
