// Package server offers this machine's kernels to clients of package remote. A client has a session: tensors
// and graphs, streams on which tasks run in order, and a limit of memory. Errors name the operator. No
// message of a client can end the server, and no other client can see it.
package server
