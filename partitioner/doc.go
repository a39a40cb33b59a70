// Package partitioner cuts a program at its network edges. It places nodes on
// peer classes and says, for each class, what runs when: activities, cut points
// and blocks. It knows neither Go nor kernels.
//
// [Make] takes a program through these stages, each in a file of its name:
//
//	bundle    what crosses an edge together is taken apart
//	place     every node gets its class: that of what it reads
//	connect   every Send finds the Recv that it feeds, or gets one
//	carry     sizes that a receiver cannot tell are sent along
//	slots     which components a class has, and their queues
//	edges     the table of edges, their ids and the fingerprint
//	activity  what runs in one execution (group, attach, execution)
//	gather    what runs once for each of many senders
//	cutpoint  where a value may come later than its reader would run
//	flow      which cut points have come when a node runs
//	block     nodes of the same cut points, in order (compute, live)
//	deadline  how deep edges lie
//	cause     something begins each module
//	complete  slots are bound, bootstraps wait for bootstraps alone
//
// Gates on what comes in are no part of it. The engine has them for every fill, in
// this order: permission and the governor of peers, decoding under limits, the
// channel's duplicates, edge and type, execution. Back-off and health on the way
// out are the engine's outbox. A program that wants more says so with operators.
//
// [Split] gives a plain model classes: the stages of a pipeline. [Estimate] says
// what a round of a program sends.
package partitioner
