// Package peer holds the operators of distributed programs, which compute nothing: calls of
// components (role_*.go), services of the engine by what they are for (open, order, peers,
// state, time), collectives, and what crosses edges. [op.Peer] says in columns what each
// does. The package also has the types and attributes that such operators alone know.
package peer
