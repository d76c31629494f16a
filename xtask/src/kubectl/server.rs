//! A server on the loopback interface that is as much of a Kubernetes API as `kubectl apply` needs: discovery, live
//! objects to read, and a record of what is sent.
//!
//! It answers one request per connection, keeps nothing on disk, and ends with the value that owns it.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};

use super::kinds::{KINDS, Kind};

/// Bodies beyond this are refused.
const LARGEST_BODY: usize = 16 << 20;

/// What kubectl sent for an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) method: String,
    /// Such as `application/strategic-merge-patch+json`.
    pub(super) content_type: String,
    pub(super) body: Value,
}

/// A running server.
pub(super) struct Server {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    /// By the path under which they are read.
    live: BTreeMap<String, Value>,
    sent: BTreeMap<String, Sent>,
    /// The first request that made no sense.
    failure: Option<anyhow::Error>,
    is_over: bool,
}

impl Server {
    /// Starts a server that has these objects, by the path under which they are read.
    pub(super) fn start(live: BTreeMap<String, Value>) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(State { live, ..State::default() }));
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || serve(&listener, &shared));
        Ok(Self { address, state, thread: Some(thread) })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Stops the server; what was sent, by the path of the object.
    ///
    /// # Errors
    ///
    /// Where a request was none.
    pub(super) fn stop(mut self) -> anyhow::Result<BTreeMap<String, Sent>> {
        self.end();
        let mut state = self.state.lock().map_err(|_| anyhow::anyhow!("the server failed"))?;
        state.failure.take().map_or_else(|| Ok(std::mem::take(&mut state.sent)), Err)
    }

    fn end(&mut self) {
        if let Ok(mut state) = self.state.lock() {
            state.is_over = true;
        }
        // The thread waits for a connection; it ends once it has seen one more.
        let woken = TcpStream::connect(self.address).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| woken) {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.end();
        }
    }
}

fn serve(listener: &TcpListener, state: &Mutex<State>) {
    for stream in listener.incoming().filter_map(Result::ok) {
        let Ok(mut state) = state.lock() else { return };
        if state.is_over {
            return;
        }
        if let Err(error) = answer(&stream, &mut state) {
            state.failure.get_or_insert(error);
        }
    }
}

fn answer(stream: &TcpStream, state: &mut State) -> anyhow::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut reader = BufReader::new(stream);
    let request = Request::read(&mut reader)?;
    let (status, body) = respond(&request, state)?;
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut out = stream;
    Ok(out.write_all(format!("{head}{body}").as_bytes())?)
}

struct Request {
    method: String,
    path: String,
    content_type: String,
    body: Vec<u8>,
}

impl Request {
    fn read(reader: &mut BufReader<&TcpStream>) -> anyhow::Result<Self> {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let (method, target) = (words.next().context("no method")?.to_owned(), words.next().context("no path")?);
        let path = target.split('?').next().unwrap_or_default().to_owned();
        let (mut length, mut content_type) = (0, String::new());
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            let Some((name, value)) = header.trim_end().split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse()?,
                "content-type" => value.trim().clone_into(&mut content_type),
                _ => {}
            }
        }
        ensure!(length <= LARGEST_BODY, "a body of {length} bytes");
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        Ok(Self { method, path, content_type, body })
    }
}

fn respond(request: &Request, state: &mut State) -> anyhow::Result<(&'static str, Value)> {
    match request.method.as_str() {
        "GET" => Ok(discovery(&request.path)
            .or_else(|| state.live.get(&request.path).cloned())
            .map_or_else(|| ("404 Not Found", not_found()), |body| ("200 OK", body))),
        method @ ("PATCH" | "POST") => {
            let body: Value = serde_json::from_slice(&request.body)?;
            let name = body.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
            let path = if method == "POST" { format!("{}/{name}", request.path) } else { request.path.clone() };
            let response = state.live.get(&path).cloned().unwrap_or_else(|| body.clone());
            let content_type = request.content_type.clone();
            state.sent.insert(path, Sent { method: method.to_owned(), content_type, body });
            Ok((if method == "POST" { "201 Created" } else { "200 OK" }, response))
        }
        method => bail!("{method} is not expected"),
    }
}

fn not_found() -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404})
}

/// What the server says about itself.
fn discovery(path: &str) -> Option<Value> {
    match path {
        "/version" => Some(json!({"major": "1", "minor": "32", "gitVersion": "v1.32.0"})),
        "/api" => Some(json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []})),
        "/apis" => Some(json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups()})),
        "/api/v1/namespaces/default" => {
            Some(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}))
        }
        _ => {
            let group_version = path
                .strip_prefix("/api/v1")
                .map_or_else(|| path.strip_prefix("/apis/"), |rest| rest.is_empty().then_some("v1"))?;
            let kinds: Vec<&Kind> = KINDS.iter().filter(|kind| kind.api_version == group_version).collect();
            (!kinds.is_empty()).then(|| {
                let resources: Vec<Value> = kinds.into_iter().map(resource).collect();
                json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": resources})
            })
        }
    }
}

fn resource(kind: &Kind) -> Value {
    let verbs = ["create", "delete", "get", "list", "patch", "update"];
    json!({"name": kind.plural, "singularName": "", "namespaced": true, "kind": kind.kind, "verbs": verbs})
}

fn groups() -> Vec<Value> {
    let mut groups = Vec::new();
    for (group, version) in KINDS.iter().filter_map(|kind| kind.api_version.split_once('/')) {
        let version = json!({"groupVersion": format!("{group}/{version}"), "version": version});
        let entry = json!({"name": group, "versions": [version], "preferredVersion": version});
        if !groups.contains(&entry) {
            groups.push(entry);
        }
    }
    groups
}
