// Package limits bounds everything that grows in a peer: how much there may be of it, for all
// and for each other peer, on a server, on a small device and on a machine that the host has
// looked at. It only says how much; who counts is the node, and the wire.
package limits
