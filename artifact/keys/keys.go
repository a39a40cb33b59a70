// Package keys declares the keys under which bbgen keeps data of its own in the metadata_props of ONNX files. Whoever reads or
// writes such data imports it, so it knows neither the graph nor the files.
//
// Not here are keys that begin with onnx.: package ir/onnx gives these fields of the file. Keys of others stand where bbgen
// reads them, and those of the repository's random tests where the tests do.
package keys

// The beginnings of keys.
const (
	Own      = "bbgen."            // of those that bbgen alone knows, which generated code does not repeat
	Recorded = "ai.bytesandbrains" // of those of recorded programs; the domains of their operators begin with it, too
)

// The keys of a model.
const (
	Program = "ai.bytesandbrains.program"  // marks a recorded program
	Binding = "ai.bytesandbrains.binding." // followed by a class, a dot and a slot: the slot's component
	Frozen  = "bbgen.frozen"               // initializers that training does not change
	Classes = "bbgen.classes"              // names of the scores in the first output
	Columns = "bbgen.columns"              // names of the features in the first input
	Loss    = "bbgen.loss"                 // the loss of the training
	Label   = "bbgen.label"                // the column of the training's labels
)

// The keys of a node.
const (
	HomeClass = "ai.bytesandbrains.home_class" // the class that runs it
	Pos       = "bbgen.pos"                    // the author's line
	Version   = "bbgen.version"                // its version, if it differs from the import's
)

// The keys of an input.
const (
	State = "bbgen.state" // makes it a state variable
	Next  = "bbgen.next"  // the next value of the variable
)

// What a key stands on.
const (
	Model = "model"
	Node  = "node"
	Input = "input"
)

// A Key is a row of [All].
type Key struct {
	Name          string   // a constant of this package
	On            string   // [Model], [Node] or [Input]
	Value         string   // what its value is
	Writes, Reads []string // packages that name the constant; others call these
}

// All lists the keys in the order of their constants.
var All = []Key{
	{Program, Model, "the program's name", []string{"artifact"}, []string{"artifact"}},
	{Binding, Model, "an object in JSON, `artifact.Binding`", []string{"artifact"}, []string{"artifact"}},
	{Frozen, Model, "a list of names of initializers in JSON", []string{"dsl", "ir/onnx", "ir/train"}, []string{"ir/onnx", "ir/train"}},
	{Classes, Model, "a list of names in JSON", []string{"internal/cmd/export"}, []string{"internal/cmd/inspect", "ir"}},
	{Columns, Model, "a list of names in JSON", []string{"internal/cmd/export"}, []string{"codegen", "internal/cmd/inspect", "internal/cmd/train"}},
	{Loss, Model, `a list in JSON: the loss, and the settings given for it, such as "class-axis=-1"`, []string{"internal/cmd/export", "internal/cmd/train"}, []string{"internal/cmd/train"}},
	{Label, Model, "a list in JSON: the column's name, unless it is one of the usual names", []string{"internal/cmd/export"}, []string{"internal/cmd/train"}},
	{HomeClass, Node, "the name of the class", []string{"ir/onnx"}, []string{"ir/onnx"}},
	{Pos, Node, "file:line", []string{"ir/onnx"}, []string{"ir/onnx"}},
	{Version, Node, "a decimal number", []string{"ir/onnx"}, []string{"ir/onnx"}},
	{State, Input, "an `ir.StateKind`, such as parameter", []string{"ir/onnx"}, []string{"ir/onnx"}},
	{Next, Input, "the name of a value of the graph", []string{"ir/onnx"}, []string{"ir/onnx"}},
}
