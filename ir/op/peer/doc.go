// Package peer contains the operators of distributed programs, which do not compute: calls of components
// (role_*.go), services of the engine by purpose (open, order, peers, state, time), collectives, and edges.
// [op.Peer] describes their actions. The package also contains types and attributes that only these operators
// use.
package peer
