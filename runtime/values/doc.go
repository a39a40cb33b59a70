// Package values defines the encoding of a program's values outside of the code that computes with them: in
// messages between peers, in the frames of executions, in snapshots, and in inputs and outputs of the host. It
// does not know package runtime.
//
// Generated code calls it. A component writes its state for snapshots with functions such as [AppendDense] and
// [AppendScalar], and reads it from [NewFields] with [ReadDense] and [ReadScalar]. A host names peers with [PeerNames].
//
// The Append functions write bytes and a [Fields] reads them; Take functions read the value of a fill, Set and
// Assign functions a value from a host. External input is compared with the expected type before anything is
// allocated. A [Keeper] puts large values into the [Spool] of the host, and a [Large] value is read from there
// in parts.
package values
