// Package server offers this machine's kernels to clients of package remote. A client has a session: tensors
// and graphs, streams on which tasks run in order, and a limit of memory. Errors name the operator. No
// message of a client can end the server, and no other client can see it.
//
// serve.go and visitors.go have the connections, session.go what outlives them. receive.go reads messages and
// passes tasks to streams (stream, task, execute), which run graphs. Tensors are in store, slot and register;
// read, fetch and offer send them. account.go limits memory.
package server
