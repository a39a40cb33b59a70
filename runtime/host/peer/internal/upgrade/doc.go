// Package upgrade has a peer go on as another binary: it looks for an order in the state directory, checks the binary and
// puts it in its place, and executes it when the host has ended.
//
// Whatever process is started after a kill at any moment finds on the disk what it needs to continue from the last
// snapshot: the stage of the order, and which program wrote the snapshots.
//
// The package knows no node and no connection. A [Host] has a loop, stops, and writes snapshots.
package upgrade
