// Package walk trains one model at many peers without a server: a token with the model walks from peer to random
// peer, and each trains it on its own data and passes it on. It is the random walk of random-walk learning, as in
// B. Johansson, M. Rabi and M. Johansson, "A Simple Peer-to-Peer Algorithm for Distributed Optimization in Sensor
// Networks", 2007, with tokens that are replaced when they are lost.
//
//	w.Shuffle.Run(g, "shuffle", time.Second)             // a Protocol slot with a sampling.Shuffle
//	w.Walk.Run(g, "walk", time.Second)                   // one with a Walk that Needs it, and a Trainer
//	model := w.Walk.Call(g, "Model", dsl.Float64(dsl.Any)) // the model as this peer has trained it last
//
// With Cyclic, the token visits all peers by rank, over and over, as in cyclic weight transfer between hospitals (K. Chang
// and others, "Distributed Deep Learning Networks among Institutions for Medical Imaging", 2018).
//
// # Lost tokens
//
// A peer that has received a token tells the sender, and the peer before. The sender keeps a copy of the token until
// the receiver has passed it on. If the token does not arrive for Patience periods, or is not passed on for twice as
// long, the receiver has died or cannot train: the sender issues a new token from its copy, without the training of
// the receiver. If both have died, a peer that has heard of no token for Silence periods issues one from the model
// that it trained last. Without Silence nobody does, and the walk ends.
//
// The old token may still be there: its holder was slow, or out of reach. So tokens have a generation, which is a
// number and, between tokens that were issued at the same time, a random number. A peer remembers the latest
// generation that was there, discards tokens of earlier ones, and tells their senders, which pass them to other peers. The
// later token walks to all peers, also to the one that has the earlier one, which ends there: one token survives. The
// training that only the discarded token has seen is lost. What a peer tells of tokens replaces none, so that a walk does not end
// by what is wrong. A peer that takes a token and keeps or changes it is not detected.
package walk
