// Package raft is a log that the servers of a class hold together: what one of them decides
// is decided when more than half have it, and who leads is replaced when it dies. So a
// federation has no server that it cannot do without. It is Raft, of D. Ongaro and J.
// Ousterhout, "In Search of an Understandable Consensus Algorithm", 2014, by etcd's
// implementation, which has no goroutine, clock or disk of its own.
//
// What the log decides is the outcome of rounds: a number and a vector, such as the
// parameters of a model. Package dsl/replicated records the program's part of it.
//
// Raft wants that what a server has promised is on disk before others hear of it. Peers with
// a state directory keep that for everything that they send, and the log is part of their
// snapshots, so there is no other storage. A server that has lost its state must not come
// back under its name: let it join as the server of a rank that nobody has any more.
//
// Servers trust each other: those who are more than half decide. What an insider sends that
// makes no sense is refused, by name, and changes nothing.
package raft
