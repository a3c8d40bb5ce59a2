//! The local copy of one resource: objects by key, indexes by function, and the handlers told of
//! each change in order.
//!
//! Handlers run under one lock, one change at a time, after the store shows the new state. They
//! must be quick (put a key in a queue) and must not subscribe to the store that calls them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

use crate::{ObjectKey, Stored};

/// One change of one object.
pub struct Change<'a, K> {
    /// What was known before, if anything.
    pub old: Option<&'a Arc<K>>,
    /// What is known now; nothing when the object is gone.
    pub new: Option<&'a Arc<K>>,
    /// Whether this belongs to the first listing, or is the replay for a late subscriber.
    pub initial: bool,
}

impl<'a, K> Change<'a, K> {
    /// The newest form of the object: what is known now, or was known last.
    pub fn object(&self) -> Option<&'a Arc<K>> {
        self.new.or(self.old)
    }
}

type Handler<K> = Box<dyn Fn(&Change<'_, K>) + Send + Sync>;
type IndexFn<K> = Box<dyn Fn(&K) -> Vec<String> + Send + Sync>;

/// Indexed objects of one resource.
pub struct Store<K> {
    data: RwLock<Data<K>>,
    handlers: Mutex<Vec<Handler<K>>>,
}

struct Data<K> {
    objects: BTreeMap<ObjectKey, Arc<K>>,
    indexes: BTreeMap<&'static str, Index<K>>,
}

struct Index<K> {
    function: IndexFn<K>,
    keys: BTreeMap<String, BTreeSet<ObjectKey>>,
}

impl<K: Stored> Default for Store<K> {
    fn default() -> Self {
        Self {
            data: RwLock::new(Data {
                objects: BTreeMap::new(),
                indexes: BTreeMap::new(),
            }),
            handlers: Mutex::default(),
        }
    }
}

impl<K: Stored> Store<K> {
    /// The object of that key.
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<K>> {
        self.data.read().objects.get(key).cloned()
    }

    /// All objects, ordered by key.
    pub fn list(&self) -> Vec<Arc<K>> {
        self.data.read().objects.values().cloned().collect()
    }

    /// All objects of one namespace, ordered by name.
    pub fn list_namespace(&self, namespace: &str) -> Vec<Arc<K>> {
        let start = ObjectKey::new(namespace, "");
        self.data
            .read()
            .objects
            .range(start..)
            .take_while(|(key, _)| key.namespace == namespace)
            .map(|(_, object)| Arc::clone(object))
            .collect()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.data.read().objects.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an index; objects known already are indexed at once.
    pub fn add_index(
        &self,
        name: &'static str,
        function: impl Fn(&K) -> Vec<String> + Send + Sync + 'static,
    ) {
        let mut data = self.data.write();
        let mut index = Index {
            function: Box::new(function),
            keys: BTreeMap::new(),
        };
        for (key, object) in &data.objects {
            index.insert(key, object);
        }
        data.indexes.insert(name, index);
    }

    /// The objects that index `name` files under `value`, ordered by key.
    pub fn by_index(&self, name: &str, value: &str) -> Vec<Arc<K>> {
        let data = self.data.read();
        let Some(keys) = data
            .indexes
            .get(name)
            .and_then(|index| index.keys.get(value))
        else {
            return Vec::new();
        };
        keys.iter()
            .filter_map(|key| data.objects.get(key).cloned())
            .collect()
    }

    /// Calls `handler` for every object known now and for every change from now on.
    pub fn subscribe(&self, handler: impl Fn(&Change<'_, K>) + Send + Sync + 'static) {
        let mut handlers = self.handlers.lock();
        for object in self.list() {
            handler(&Change {
                old: None,
                new: Some(&object),
                initial: true,
            });
        }
        handlers.push(Box::new(handler));
    }

    /// Puts an object in, unless exactly that version is there.
    pub fn apply(&self, object: K, initial: bool) {
        let handlers = self.handlers.lock();
        let key = object.key();
        let object = Arc::new(object);
        let old = self.data.write().put(&key, &object);
        if old.as_ref().is_some_and(|old| {
            old.version() == object.version() && old.identity() == object.identity()
        }) {
            return;
        }
        tell(&handlers, old.as_ref(), Some(&object), initial);
    }

    /// Takes the object of that key out.
    pub fn remove(&self, key: &ObjectKey) {
        let handlers = self.handlers.lock();
        let old = self.data.write().take(key);
        if old.is_some() {
            tell(&handlers, old.as_ref(), None, false);
        }
    }

    /// Makes `objects` the whole content; tells of what is new, changed and gone.
    pub fn replace(&self, objects: Vec<K>, initial: bool) {
        let present: BTreeSet<ObjectKey> = objects.iter().map(Stored::key).collect();
        let gone: Vec<ObjectKey> = {
            let data = self.data.read();
            let known = data.objects.keys();
            known
                .filter(|key| !present.contains(*key))
                .cloned()
                .collect()
        };
        for key in gone {
            self.remove(&key);
        }
        for object in objects {
            self.apply(object, initial);
        }
    }
}

fn tell<K>(handlers: &[Handler<K>], old: Option<&Arc<K>>, new: Option<&Arc<K>>, initial: bool) {
    let change = Change { old, new, initial };
    for handler in handlers {
        handler(&change);
    }
}

impl<K: Stored> Data<K> {
    fn put(&mut self, key: &ObjectKey, object: &Arc<K>) -> Option<Arc<K>> {
        let old = self.objects.insert(key.clone(), Arc::clone(object));
        for index in self.indexes.values_mut() {
            if let Some(old) = &old {
                index.remove(key, old);
            }
            index.insert(key, object);
        }
        old
    }

    fn take(&mut self, key: &ObjectKey) -> Option<Arc<K>> {
        let old = self.objects.remove(key)?;
        for index in self.indexes.values_mut() {
            index.remove(key, &old);
        }
        Some(old)
    }
}

impl<K> Index<K> {
    fn insert(&mut self, key: &ObjectKey, object: &K) {
        for value in (self.function)(object) {
            self.keys.entry(value).or_default().insert(key.clone());
        }
    }

    fn remove(&mut self, key: &ObjectKey, object: &K) {
        for value in (self.function)(object) {
            if let Some(keys) = self.keys.get_mut(&value) {
                keys.remove(key);
                if keys.is_empty() {
                    self.keys.remove(&value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Object;

    fn object(name: &str, version: &str, label: &str) -> Object {
        Object::from(json!({"metadata": {
            "namespace": "a", "name": name, "resourceVersion": version, "uid": name,
            "labels": {"app": label},
        }}))
    }

    fn recorded(store: &Store<Object>) -> Arc<Mutex<Vec<String>>> {
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let sink = Arc::clone(&seen);
        store.subscribe(move |change| {
            let show = |side: Option<&Arc<Object>>| {
                side.map_or_else(
                    || "-".to_owned(),
                    |o| format!("{}@{}", o.name(), o.version()),
                )
            };
            sink.lock()
                .push(format!("{}>{}", show(change.old), show(change.new)));
        });
        seen
    }

    #[test]
    fn indexes_follow_changes() {
        let store = Store::default();
        store.apply(object("one", "1", "x"), false);
        store.add_index("app", |o: &Object| vec![o.label("app").to_owned()]);
        store.apply(object("two", "2", "x"), false);
        assert_eq!(store.by_index("app", "x").len(), 2);
        store.apply(object("one", "3", "y"), false);
        assert_eq!(store.by_index("app", "x").len(), 1);
        store.remove(&ObjectKey::new("a", "two"));
        assert!(store.by_index("app", "x").is_empty());
        assert_eq!(store.list_namespace("a").len(), 1);
    }

    #[test]
    fn replacing_tells_only_of_differences() {
        let store = Store::default();
        let seen = recorded(&store);
        store.replace(vec![object("one", "1", "x"), object("two", "2", "x")], true);
        store.replace(
            vec![object("two", "2", "x"), object("three", "4", "x")],
            false,
        );
        store.apply(object("two", "5", "x"), false);
        assert_eq!(
            *seen.lock(),
            ["->one@1", "->two@2", "one@1>-", "->three@4", "two@2>two@5"]
        );
    }

    #[test]
    fn late_subscribers_get_a_replay() {
        let store = Store::default();
        store.apply(object("one", "1", "x"), false);
        assert_eq!(*recorded(&store).lock(), ["->one@1"]);
    }
}
