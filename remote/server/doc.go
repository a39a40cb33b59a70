// Package server offers this machine's kernels to clients of package remote. A client has a
// session: tensors and graphs of its own, streams on which tasks run in order, and a limit
// of memory. What fails is told with the operator's name; nothing that a client sends
// ends the server, or is seen by another client.
package server
