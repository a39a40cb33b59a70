// Package handmade holds partitions of distributed programs as bbgen prints
// them, written by hand for the tests of the runtime and its hosts, each with
// the plain computation that it must agree with.
//
//	ping ⇄ pong                    rounds between two peers
//	server → clients → server      scatter, commands, gather by quorum
//	first → second → third         a pipeline with several values in flight
//
// They keep to what printed code may do: straight lines between cut points, a
// field for each value that crosses one, no map and no reflection.
package handmade
