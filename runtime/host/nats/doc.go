// Package nats transports streams between peers through a NATS server, the broker: for fleets in which no peer
// can dial another one, but all can dial one server. It is a separate module, so that programs without it do
// not have its dependencies.
//
// An address consists of the address of the broker, and the name of the listener, which is the peer's id unless
// -listen sets another one:
//
//	/dns/broker.example.com/tcp/4222
//	/dns/broker.example.com/tcp/4222/nats/coordinator
//
// The broker is trusted only with delivery: a stream is a connection of package channel, with TLS 1.3 from peer
// to peer. If the broker loses, repeats or changes messages, the stream ends, and peers send unacknowledged
// messages again.
//
// Only core NATS is used, on subjects below "bbgen.": bbgen.listen.NAME receives calls of a listener,
// bbgen.of.PROCESS.NUMBER the messages for one end of a connection. JetStream is not used. Durable data are in
// the state directories of peers, which acknowledge a message when their snapshot holds it, and send it again
// until then; a copy in the broker would have to be trusted, and could be stale.
//
// The environment holds the peer's credentials for the broker, in the variables of NATS' own tools: NATS_CREDS
// names a file of credentials, NATS_NKEY a seed; NATS_USER and NATS_PASSWORD, or NATS_TOKEN; NATS_CA, NATS_CERT
// and NATS_KEY files for TLS.
package nats
