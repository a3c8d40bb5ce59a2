//! What clients may rely on, tested in process on paused time.

#[cfg(test)]
mod client;
#[cfg(test)]
mod collection;
#[cfg(test)]
mod connect;
#[cfg(test)]
mod custom_resources;
#[cfg(test)]
mod namespaces;
#[cfg(test)]
mod rig;
#[cfg(test)]
mod sockets;
