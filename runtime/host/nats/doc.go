// Package nats carries streams between peers through a NATS server, the broker: for
// fleets of which no peer can dial another one, but all can dial one place. It is a
// module of its own, so that whoever does without it does not depend on what it depends on.
//
// An address is that of the broker, and the name of who listens there, which is the
// peer's id unless -listen says another one:
//
//	/dns/broker.example.com/tcp/4222
//	/dns/broker.example.com/tcp/4222/nats/coordinator
//
// The broker is trusted with nothing but delivery: a stream is a connection of package
// channel, with TLS 1.3 from peer to peer. What the broker loses, repeats or changes
// ends the stream, and peers send again what was not acknowledged.
//
// Only core NATS is used, on subjects below "bbgen.": bbgen.listen.NAME is where a peer
// is called, bbgen.of.PROCESS.NUMBER takes what is for one end of a connection. Nothing
// is kept in JetStream. What must survive is in the state directories of peers, which
// acknowledge a message when their snapshot holds it, and send again until then; a copy
// in the broker would have to be trusted, and would be one more that can be stale.
//
// The environment says who the peer is to the broker, in the variables of NATS' own
// tools: NATS_CREDS names a file of credentials, NATS_NKEY a seed; NATS_USER and
// NATS_PASSWORD, or NATS_TOKEN; NATS_CA, NATS_CERT and NATS_KEY files for TLS.
package nats
