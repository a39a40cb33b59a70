package arch

// A house is a package whose files have floors: a function may call others of its floor and of those below.
type house struct {
	pkg    string
	floors []floor // the lowest first
}

// A floor is files of a package. None of them call each other in a circle, so that they can be read one after the
// other, unless the floor says why some do.
type floor struct {
	name   string
	files  []string // patterns; [rest] is all files that no floor lists
	why    string   // why it calls nothing above
	circle string   // why files call each other in a circle; "" if none do
}

// rest stands for the files that are in no list.
const rest = "*"

// houses has the floors of the packages that grew most. A file that needs what is above it either belongs there,
// or the part that it needs belongs below.
var houses = []house{
	{"runtime", []floor{
		{name: "program", files: []string{"config.go", "env.go", "output.go", "partition.go", "version.go"},
			why: "generated code and hosts give it to a Node: data, which does not run"},
		{name: "state", files: []string{"book.go", "commands.go", "communicator.go", "event.go", "frame.go", "history.go", "ingress.go", "peer.go", "store.go", "timers.go"},
			why: "it records and decides, and the Node carries out, so that each part can be tested alone"},
		{name: "reports", files: []string{"report.go", "span.go"},
			why: "everything above reports to the host, and a report never changes what happens"},
		{name: "peers", files: []string{"charge.go", "directory.go", "governor.go", "send.go"},
			why: "who the peers are, and what is kept for them, does not depend on what executions do with it"},
		{name: "executions", files: []string{"call.go", "enter.go", "gather.go", "gatherer.go", "loss.go", "open.go", "settle.go", "short.go", "timer.go"},
			why:    "a value arrives or is lost in the same way, whether a peer, the host, a timer or a block brings it",
			circle: "a lost value fails the blocks that need it, which may end a gather, a round, a collective or the execution, and those lose values in turn"},
		{name: "values", files: []string{"await.go", "command.go", "queue.go"},
			why: "they bring values of the host, of queues and of connected peers to executions, as messages bring those of peers"},
		{name: "messages", files: []string{"admission.go", "bulk.go", "deliver.go", "fill.go", "load.go", "refusal.go", "unnumbered.go"},
			why: "a message is checked and then given to an execution; it does not know why its sender is connected"},
		{name: "connections", files: []string{"connect.go", "health.go"},
			why: "peers come and go in every phase of the node's life"},
		{name: "life", files: []string{"boot.go", "phase.go"}, why: "a phase is entered in a cycle, and begins none"},
		{name: "cycle", files: []string{"emit.go", "poll.go"}, why: "what blocks and hosts call between cycles is not part of one"},
		{name: "use", files: []string{"join.go", "node.go", "restore.go", "service.go", "snapshot*.go", "wait.go"},
			why: "nothing is above"},
	}},
	{"ir", []floor{
		{name: "graph", files: []string{"attr.go", "callees.go", "dim*.go", "ir.go", "metadata.go", "names.go", "quote.go", "tensor.go", "training.go", "type.go", "uses.go"},
			why: "it is the graph as data, and the questions about it that every stage asks"},
		{name: "edits", files: []string{"builder.go", "clone.go"}, why: "a graph is changed without its text form, and a pass that changes it may leave it invalid"},
		{name: "text", files: []string{"lex.go", "parse*.go", "print*.go"}, why: "invalid graphs are printed and read, too"},
		{name: "verify", files: []string{"calls.go", "verify*.go"}, why: "nothing is above"},
	}},
	{"ir/op", []floor{
		{name: "operator", files: []string{"domain.go", "input.go", "item.go", "nearest.go", "op.go", "schema.go", "shapes.go", "stops.go", "train.go", "types.go"},
			why: "it is one operator as data, which knows no other"},
		{name: "values", files: []string{"bounds.go", "content.go", "infer.go", "lower.go", "shape.go"},
			why: "inference and lowering of all operators read shapes and contents through it"},
		{name: "table", files: []string{"build.go", "check.go", "table.go", "takeover.go", "upgrade.go"},
			why: "an operator is found and compared with its schema before its types are inferred"},
		{name: "inference", files: []string{"agree*.go", "infer_*.go", "inferrer.go", "quantized.go"},
			why: "a node has types before it is lowered"},
		{name: "lowering", files: []string{"activation.go", "constants.go", "convert.go", "decimal.go", "elementwise.go", "lowered.go", "room.go", "stored.go", "widen.go"},
			why: "how a node is computed does not depend on what is asked about it later"},
		{name: "questions", files: []string{"grad.go", "last.go", "overwritable.go", "peer.go", "work.go"}, why: "nothing is above"},
	}},
	{"ir/eval", []floor{
		{name: "kernels", files: []string{"constants.go", "failing.go", "fails.go", "kernels.go", "level.go", "limits.go", "packers.go"},
			why: "it is generated from the kernels, or is a limit: it knows no graph that runs"},
		{name: "values", files: []string{"env.go", "pack.go"}, why: "a value is found or allocated without regard to the call that needs it"},
		{name: "calls", files: []string{"args.go", "call.go", "kernel.go"}, why: "a call knows its operands, and not the node that it comes from"},
		{name: "nodes", files: []string{"flow.go", "node.go"}, why: "a function is a region with parameters and states, which no node knows",
			circle: "a node of control flow runs regions, which have nodes"},
		{name: "functions", files: []string{"eval.go"}, why: "nothing is above"},
	}},
	{"dsl", []floor{
		{name: "values", files: []string{"bind.go", "branch.go", "endless.go", "errors.go", "figures.go", "module.go", "sending.go", "short.go", "type.go", "value.go"},
			why: "it is what authors name, as data: nothing is recorded yet"},
		{name: "recorder", files: []string{"recorder.go", "slot.go", "symbols.go"}, why: "all graphs of a program share it"},
		{name: "graph", files: []string{"graph.go"}, why: "each node is recorded in the same way, whoever asks for it"},
		{name: "nodes", files: []string{"edge.go", "flow.go", "ops*.go", "port.go", "rounds.go", "slotcall.go", "stores.go", "syscalls.go"},
			why: "it records one kind of nodes, for layers and components alike"},
		{name: "components", files: []string{"change.go", "codec.go", "collective.go", "model.go", "own.go", "protocol.go", "roles.go"},
			why: "a method of a component becomes nodes without regard to the module that calls it"},
		{name: "program", files: []string{"bootstrap.go", "build.go", "call.go", "circle.go", "classes.go", "link.go", "need.go", "plain.go", "record.go"},
			why: "modules are recorded and linked, whatever they record"},
		{name: "backends", files: []string{"backend.go"}, why: "nothing is above"},
	}},
	{"partitioner", []floor{
		{name: "program", files: []string{"chain.go", "cutset.go", "paramsizes.go", "program.go", "speakers.go", "step.go", "units.go"}, why: "it reads the graph, or is the result as data: it knows nothing of how programs are cut"},
		{name: "state", files: []string{"cutter.go"}, why: "all stages share it, and it knows none of them"},
		{name: "modules", files: []string{"activity.go", "attach.go", "bundle.go", "carry.go", "cause.go", "ends.go", "collective.go", "complete.go", "connect.go",
			"deadline.go", "edges.go", "edgetype.go", "emit.go", "enter.go", "execution.go", "group.go", "opener.go", "place.go", "slots.go", "stores.go"},
			why: "it looks at the whole program and decides what is a module, before any module is divided"},
		{name: "blocks", files: []string{"block.go", "body.go", "compute.go", "cutpoint.go", "flow.go", "gather.go", "live.go", "meet.go", "name.go",
			"privacy.go", "question.go", "short.go"},
			why: "it divides one module, in whichever order the stages run"},
		{name: "drivers", files: []string{"cost.go", "cut.go", "search.go", "split.go", "splitsend.go", "splittable.go", "splitter.go"}, why: "a cut does not depend on how it is printed, or on what is asked about it later"},
		{name: "reports", files: []string{"answers.go", "outputs.go", "parts.go", "print.go"}, why: "nothing is above"},
	}},
	{"ir/pass", []floor{
		{name: "passes", files: []string{rest}, why: "a pass is read by itself, and what several passes do is below them"},
		{name: "infer", files: []string{"diverge.go", "infer.go"}, why: "nothing is above",
			circle: "an If with branches of different rank is inferred again when the nodes behind it have moved into them"},
	}},
	{"codegen", []floor{
		{name: "words", files: []string{"codegen.go", "emit_check.go", "emit_component.go", "emit_handshake.go", "emit_main.go", "emit_number.go", "emit_type.go", "files.go", "imports.go", "render.go", "sites.go", "text.go", "width.go"},
			why: "it prints one thing, from its arguments, for models and peers alike"},
		{name: "names", files: []string{"names*.go", "naming.go"},
			why: "all identifiers of a plan are chosen before a line of it is printed"},
		{name: "run", files: []string{"emit_chain.go", "emit_context.go", "emit_dim.go", "emit_expr.go", "emit_graph.go", "emit_kernel.go", "emit_marks.go", "emit_profile.go", "emit_run.go", "emit_weights.go", "emitter.go"},
			why: "it prints what every plan has, be it a model, a part of a trainer or a computation of a peer: a run, and constants"},
		{name: "models", files: []string{"emit_metadata.go", "emit_model.go", "emit_tensors.go", "emit_test_file.go"},
			why: "trainers and peers use parts of a model's interface, and a model nothing of theirs"},
		{name: "trainers", files: []string{"emit_batch.go", "emit_halves.go", "emit_session.go", "emit_slot.go", "emit_state.go", "emit_trainer.go", "slot.go", "state_layout.go", "trainer.go"},
			why: "it prints a package of its own, which a peer has in a slot"},
		{name: "values", files: []string{"emit_consts.go", "emit_value.go", "frame.go"},
			why: "it refers to the values of a frame, whichever step reads them"},
		{name: "steps", files: []string{"emit_backend.go", "emit_call.go", "emit_collective.go", "emit_large.go", "emit_service.go", "emit_shape.go", "emit_steps.go"},
			why: "it prints one step, and knows not where the step stands"},
		{name: "frames", files: []string{"emit_block.go", "emit_fill.go", "emit_frame.go", "emit_snapshot.go", "emit_task.go"},
			why: "it prints the type of one module, and knows no other file of the package"},
		{name: "peers", files: []string{"emit_compute.go", "emit_module.go", "emit_partition.go", "partition.go"},
			why: "it prints the files of a peer, and leaves to others which there are"},
		{name: "packages", files: []string{"generate.go"}, why: "nothing is above"},
	}},
	{"codegen/plan", []floor{
		{name: "plan", files: []string{"block.go", "chain.go", "content.go", "operand.go", "plan.go", "step.go", "steps.go", "walk.go", "weight.go"},
			why: "it is the plan as data: each step says what it reads and writes, and knows not how plans are made"},
		{name: "nodes", files: []string{"assign.go", "builder.go", "nodes.go", "state.go"},
			why: "each node becomes steps by itself, before any step is changed"},
		{name: "rewrites", files: []string{"chain_make.go", "chains.go", "group.go", "lives.go", "merge.go", "prune.go", "roll*.go", "share.go", "split.go"},
			why: "it changes steps and variables, which have no place yet"},
		{name: "places", files: []string{"alloc.go", "arena.go", "full.go", "space.go"}, why: "it is checked independently of how places were found"},
		{name: "verify", files: []string{"verify*.go"}, why: "it sees a finished plan, whoever has made it"},
		{name: "make", files: []string{"make.go"}, why: "a plan does not depend on what is asked about it later"},
		{name: "questions", files: []string{"complete.go", "memory*.go"}, why: "nothing is above"},
	}},
	{"codegen/peerplan", []floor{
		{name: "plan", files: []string{"component.go", "frame.go", "names.go", "plan.go", "step.go", "types.go", "var.go"},
			why: "it is what a peer keeps, as data: what emitters ask of it, it can tell without knowing how it was made"},
		{name: "parts", files: []string{"compute.go", "constant.go", "consts.go", "frames.go", "graph.go", "slot.go", "store.go"},
			why: "it names one kind of things, before any value has a place"},
		{name: "places", files: []string{"check.go", "fields.go", "life.go", "overwritten.go", "rest.go", "shape.go", "unshaped.go", "whole.go"},
			why: "it finds where the values of one frame are, and how long; the order is for others to choose"},
		{name: "make", files: []string{"make.go", "snapshot.go"}, why: "what is asked of a plan, and its text form, are read from the finished plan"},
		{name: "questions", files: []string{"print.go", "way.go"}, why: "nothing is above"},
	}},
	{"runtime/host/peer", []floor{
		{name: "settings", files: []string{"aliases.go", "limits.go", "options.go", "program.go", "transport.go"},
			why: "it is what a peer is given, by its program, its command line and its machine"},
		{name: "host", files: []string{"clock.go", "host.go", "link.go"},
			why: "it is the state of a host and of its peers, whatever changes it"},
		{name: "words", files: []string{"lines.go", "log.go", "past.go", "progress.go", "traces.go"},
			why: "everything above tells users what happens, and a report never changes that"},
		{name: "phase", files: []string{"phase.go"}, why: "the program begins and ends without regard to why peers are connected"},
		{name: "peers", files: []string{"handshake.go", "links.go"},
			why: "who the peers are, and how they are greeted, does not depend on what they send"},
		{name: "traffic", files: []string{"bulk.go", "chaos.go", "exchange.go", "parallelopen.go"},
			why: "messages pass between a connection and the node without regard to how it was opened"},
		{name: "connections", files: []string{"accept.go", "connect.go", "introduce.go", "meet.go"},
			why: "connections begin and end in the same way, whether the loop, a peer or a new address asks for one"},
		{name: "reports", files: []string{"pages.go", "picture.go", "report.go"}, why: "the loop has them written, and they read what it has done"},
		{name: "loop", files: []string{"checkpoint.go", "events.go", "heartbeat.go", "loop.go"}, why: "it drives a host, which others have made"},
		{name: "start", files: []string{"identity.go", "node.go", "setup.go"},
			why: "a host is made in the same way for a command, a process and a peer inside another program"},
		{name: "main", files: []string{"commands.go", "doctor.go", "main.go", "peer.go", "upgrade.go"}, why: "nothing is above"},
	}},
}
