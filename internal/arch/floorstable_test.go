package arch

// A house is a package whose files have floors: a function may call others of its floor and of those below.
type house struct {
	pkg    string
	floors []floor // the lowest first
}

// A floor is files of a package.
type floor struct {
	name  string
	files []string // patterns; [rest] is all files that no floor lists
	why   string   // why it calls nothing above
}

// rest stands for the files that are in no list. What is there may call each other: in a recursive engine or
// printer, no order of these files would say anything.
const rest = "*"

// houses has the floors of the packages that grew most. A file that needs what is above it either belongs there,
// or the part that it needs belongs below.
var houses = []house{
	{"runtime", []floor{
		{"program", []string{"config.go", "env.go", "model.go", "output.go", "partition.go", "store.go", "version.go", "window.go"},
			"generated code and hosts give it to a Node: data, which does not run"},
		{"state", []string{"communicator.go", "history.go", "ingress.go"},
			"it decides and the Node carries out, so that each can be tested alone"},
		{"node", []string{rest},
			"what generated code and hosts call in one go is made of the engine's steps, never the reverse"},
		{"use", []string{"join.go", "restore.go", "service.go", "values.go", "wait.go"}, "nothing is above"},
	}},
	{"partitioner", []floor{
		{"program", []string{"chain.go", "cutset.go", "node.go", "paramsizes.go", "program.go", "speakers.go"},
			"it reads the graph, or is the result as data: it knows nothing of how programs are cut"},
		{"state", []string{"cutter.go"}, "all stages share it, and it knows none of them"},
		{"modules", []string{"activity.go", "attach.go", "bundle.go", "carry.go", "cause.go", "collective.go", "complete.go", "connect.go",
			"deadline.go", "edges.go", "emit.go", "enter.go", "execution.go", "group.go", "opener.go", "place.go", "slots.go"},
			"it looks at the whole program and decides what is a module, before any module is divided"},
		{"blocks", []string{"block.go", "body.go", "compute.go", "cutpoint.go", "flow.go", "gather.go", "live.go", "meet.go", "name.go",
			"privacy.go", "question.go", "short.go"},
			"it divides one module, in whichever order the stages run"},
		{"drivers", []string{"cost.go", "cut.go", "search.go", "split.go", "splitsend.go", "splittable.go", "splitter.go"},
			"a cut does not depend on how it is printed, or on what is asked about it later"},
		{"reports", []string{"answers.go", "outputs.go", "parts.go", "print.go"}, "nothing is above"},
	}},
	{"codegen", []floor{
		{"words", []string{"dtype.go", "emit_consts.go", "emit_expr.go", "emit_main.go", "emit_metadata.go", "emit_module.go", "emit_slot.go", "emit_test_file.go", "emit_value.go", "frame.go", "render.go", "sites.go"},
			"it prints one thing, from its arguments, for models and peers alike"},
		{"models", []string{rest}, "peers contain models, and a model without peers links nothing of theirs"},
		{"peers", []string{"emit_backend.go", "emit_call.go", "emit_collective.go", "emit_compute.go", "emit_frame.go", "emit_large.go", "emit_partition.go", "emit_service.go", "emit_shape.go", "emit_steps.go", "partition.go"},
			"nothing is above"},
	}},
	{"codegen/plan", []floor{
		{"words", []string{"memory_text.go", "walk.go"}, "it describes parts of a plan, and needs none"},
		{"plan", []string{rest}, "a plan does not depend on what is asked about it later"},
		{"questions", []string{"complete.go", "lives.go"}, "nothing is above"},
	}},
	{"codegen/peerplan", []floor{
		{"words", []string{"component.go", "slot.go", "snapshot.go", "types.go"}, "it names and describes what a plan consists of"},
		{"plan", []string{rest}, "what emitters ask, and the text form, are read from the finished plan"},
		{"questions", []string{"print.go", "way.go"}, "nothing is above"},
	}},
}
