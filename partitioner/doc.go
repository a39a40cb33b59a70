// Package partitioner cuts a program at its network edges. It places nodes on classes of peers and determines
// when each node runs, in terms of activities, cut points and blocks. It depends neither on Go code nor on
// kernels.
//
// [Make] runs these stages on a program, each in a file of its name:
//
//	bundle    splits bundles into their values
//	place     gives every node the class of its inputs
//	connect   finds or creates the Recv of every Send
//	carry     sends sizes that a receiver cannot derive
//	emit      returns results to the host through nodes
//	slots     finds the components of a class and their queues
//	stores    checks that holds, queues and limits are used in one way
//	edges     makes the table of edges, their ids and the fingerprint
//	activity  groups nodes that run in one execution (group, attach, execution)
//	enter     checks where peers join
//	gather    finds nodes that run once for each of many senders
//	cutpoint  finds where a value may arrive later than its reader could run
//	flow      computes which cut points have come when a node runs
//	block     orders nodes of the same cut points (compute, live)
//	deadline  computes the depths of edges
//	cause     checks that each module can begin
//	speakers  finds the classes that begin executions on each edge
//	complete  checks that slots are bound, and that bootstraps wait only for bootstraps
//	ends      checks that executions that begin without a message end
//
// Checks of incoming messages are not part of it. The engine applies them to every fill, in this order: the
// permission and rate limit of the peer, decoding under limits, duplicates in the channel, edge and type,
// execution. The engine's outbox handles backoff and health of receivers. A program can add further checks
// with operators.
//
// [Split] assigns a plain model to classes: the stages of a pipeline. [Estimate] computes the traffic of a
// round of a program.
package partitioner
