// Package limits defines limits for everything that grows in a peer, in total and for each other peer: on a
// server, on a small device, and on a machine with given resources. It only computes the limits; packages
// runtime and wire enforce them.
package limits
