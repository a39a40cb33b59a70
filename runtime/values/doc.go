// Package values is how the values of a program look outside of the code that computes with
// them: in messages between peers, in the frames of executions, in snapshots, and where a
// host gives them or is given them. It knows no node.
//
// The Append functions write bytes and a [Fields] reads them; Take functions read what a fill
// brings, Set and Assign functions what a host gives. What comes from outside is compared
// with what it should be before anything is allocated. A [Keeper] puts what is large into the
// [Spool] of the host, and a [Large] value is read from there in parts.
package values
