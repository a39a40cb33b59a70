// Package handmade contains partitions of distributed programs in the form of generated code, written by hand
// for the tests of the runtime and its hosts, each with a plain computation of its expected result.
//
//	ping ⇄ pong                    rounds between two peers
//	server → clients → server      scatter, commands, gather by quorum
//	first → second → third         a pipeline with several values in flight
//
// They follow the rules of generated code: straight-line code between cut points, a field for each value that
// crosses one, no maps and no reflection.
package handmade
