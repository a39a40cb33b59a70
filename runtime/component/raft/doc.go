// Package raft implements a log that the servers of a class replicate: an entry is decided when more than half
// of them have it, and a leader that dies is replaced. So a federation does not depend on a single server. It
// is Raft, of D. Ongaro and J. Ousterhout, "In Search of an Understandable Consensus Algorithm", 2014, in
// etcd's implementation, which has no goroutine, clock or disk of its own.
//
// The log decides the outcomes of rounds: a number and a vector, such as the parameters of a model. Package
// dsl/replicated records the program's part.
//
// Raft requires that promises of a server are durable before other servers learn of them. Peers with a state
// directory guarantee that for everything that they send, and the log is part of their snapshots, so there is
// no other storage. A server that has lost its state must not return under its old name: let it join with a
// rank that no server has any more.
//
// Servers trust each other: a majority decides. Invalid messages of a server are refused by name, without
// effect.
package raft
