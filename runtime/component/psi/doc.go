// Package psi finds the rows that two peers have in common, without showing the others (private set intersection):
// for learning with features that are on one peer and labels that are on another one. It is the protocol of Diffie
// and Hellman on Curve25519, as in C. Meadows, 1986, and B. Huberman, M. Franklin and T. Hogg, 1999: each peer
// multiplies points that stand for the identifiers with a secret number, and the other one multiplies them again.
// Points of both are equal where the identifiers are.
//
// The [Asker] learns which of its rows the [Answerer] has, and tells it. Both get their rows in the same order.
// Apart from that each learns only how many rows the other one has. Peers are assumed to follow the protocol: one that
// asks about invented identifiers learns which of them the other one has.
package psi
