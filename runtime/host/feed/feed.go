// Package feed reads and writes the files of a program: tensors for the inputs of its modules, and its outputs.
package feed

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/follow"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// A Feed holds the files of -in: each file of an input begins an execution of a module. Bootstrap modules have
// separate files. In place of a file there may be names of peers, see [At].
type Feed struct {
	boots  map[string][]string // files of such a module, in the order of its inputs
	module string
	runs   [][]string // files, in the order of the module's inputs
	calls  follow.Calls
	failed int // number of executions that have ended with an error
}

// New finds the module that has the inputs of -in. It returns nil if -in is empty.
func New(p *runtime.Partition, in []string) (*Feed, error) {
	files, err := filesOf(in)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	boots, err := bootsOf(p, files)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return &Feed{boots: boots}, nil
	}
	for i := range p.Modules {
		m := &p.Modules[i]
		if !invoked(m) || m.Bootstrap {
			continue
		}
		f, err := feedOf(m.Name, inputs(m), files)
		if err != nil {
			return nil, err
		}
		if f != nil {
			f.boots = boots
			return f, nil
		}
	}
	return nil, noModule(p, files)
}

// filesOf returns the files of -in, NAME=FILE, by name.
func filesOf(in []string) (map[string][]string, error) {
	files := map[string][]string{}
	for _, arg := range in {
		name, file, ok := strings.Cut(arg, "=")
		if !ok || name == "" || file == "" {
			return nil, fmt.Errorf("-in %s: want NAME=FILE", arg)
		}
		files[name] = append(files[name], file)
	}
	return files, nil
}

// noModule returns the error for files that are the inputs of no module: which inputs are missing, or else which ones
// there are.
func noModule(p *runtime.Partition, files map[string][]string) error {
	var all []string
	missing := ""
	for i := range p.Modules {
		m := &p.Modules[i]
		names := inputs(m)
		switch {
		case !invoked(m):
		case m.Bootstrap:
			all = append(all, strings.Join(names, ", ")+" of the bootstrap")
		default:
			all = append(all, fmt.Sprintf("%s of %s", strings.Join(names, ", "), m.Name))
			missing = cmp.Or(missing, missingOf(m.Name, names, files))
		}
	}
	if len(all) == 0 {
		return errors.New("-in: the program gives this peer no inputs from its host")
	}
	if missing != "" {
		return errors.New(missing)
	}
	return fmt.Errorf("-in: no module has just these inputs; there are: %s", strings.Join(all, "; "))
}

// missingOf returns a message with the inputs of a module for which there are no files, if all files are for others of
// its inputs, and "" otherwise.
func missingOf(module string, names []string, files map[string][]string) string {
	var missing []string
	for _, n := range names {
		if files[n] == nil {
			missing = append(missing, n)
		}
	}
	if len(names)-len(missing) < len(files) {
		return ""
	}
	return fmt.Sprintf("-in: %s begins with %s, and has no %s: give %s, too", module, strings.Join(names, ", "), strings.Join(missing, ", "), flags(missing, "-in", ""))
}

// invoked reports whether the host begins the executions of a module, and gives them their inputs.
func invoked(m *runtime.Module) bool { return len(m.Inputs) > 0 && !m.Child && !m.Loop }

// inputs returns the names of a module's inputs.
func inputs(m *runtime.Module) (names []string) {
	for _, c := range m.Inputs {
		names = append(names, m.Cuts[c].Name)
	}
	return names
}

// bootsOf removes the files for bootstrap modules from files and returns them: one for each input of such a
// module.
func bootsOf(p *runtime.Partition, files map[string][]string) (map[string][]string, error) {
	boots := map[string][]string{}
	for i := range p.Modules {
		m := &p.Modules[i]
		if !m.Bootstrap {
			continue
		}
		names := inputs(m)
		if !slices.ContainsFunc(names, func(n string) bool { return files[n] != nil }) {
			continue
		}
		for _, n := range names {
			if len(files[n]) != 1 {
				return nil, fmt.Errorf("-in: %d files for %s, want one: the bootstrap runs once, with %s", len(files[n]), n, strings.Join(names, ", "))
			}
			boots[m.Name] = append(boots[m.Name], files[n][0])
			delete(files, n)
		}
	}
	return boots, nil
}

// Boot begins the bootstrap modules that wait for files, at each start of the peer until they have run. It
// reports whether it has begun one.
func (f *Feed) Boot(n *runtime.Node, now int64) (began bool, err error) {
	if f == nil {
		return false, nil
	}
	for _, module := range n.NotBooted() {
		if f.boots[module] == nil {
			continue
		}
		if err := f.begin(n, now, module, f.boots[module]); err != nil {
			return began, err
		}
		began = true
	}
	return began, nil
}

// CheckBoots returns an error if the node has a bootstrap that waits for inputs for which there are no files. A peer
// whose host is a command line is given them in no other way.
func (f *Feed) CheckBoots(p *runtime.Partition, n *runtime.Node) error {
	for _, module := range n.NotBooted() {
		if f != nil && f.boots[module] != nil {
			continue
		}
		i := slices.IndexFunc(p.Modules, func(m runtime.Module) bool { return m.Name == module })
		return fmt.Errorf("the bootstrap waits for inputs: give %s", flags(inputs(&p.Modules[i]), "-in", ""))
	}
	return nil
}

// feedOf arranges the files as executions of a module, if they are its inputs.
func feedOf(module string, names []string, files map[string][]string) (*Feed, error) {
	if len(names) != len(files) || slices.ContainsFunc(names, func(n string) bool { return files[n] == nil }) {
		return nil, nil
	}
	f := &Feed{module: module}
	for k := range files[names[0]] {
		var run []string
		for _, n := range names {
			if len(files[n]) != len(files[names[0]]) {
				return nil, fmt.Errorf("-in: %d files for %s and %d for %s: want as many", len(files[names[0]]), names[0], len(files[n]), n)
			}
			run = append(run, files[n][k])
		}
		f.runs = append(f.runs, run)
	}
	return f, nil
}

// Any reports whether there are files for modules other than bootstraps.
func (f *Feed) Any() bool { return f != nil && f.module != "" }

// Over reports whether all executions have begun. It is true for a nil Feed.
func (f *Feed) Over() bool { return f == nil || len(f.runs) == 0 }

// Open returns how many executions have begun and not ended.
func (f *Feed) Open() int {
	if f == nil {
		return 0
	}
	return f.calls.Len()
}

// Unanswered returns how many executions have no answer: those that have not begun or not ended, and those that have
// failed.
func (f *Feed) Unanswered() int {
	if f == nil {
		return 0
	}
	return len(f.runs) + f.calls.Len() + f.failed
}

// Follow handles an event of the peer.
func (f *Feed) Follow(e runtime.Event) {
	if f != nil {
		f.calls.Follow(e)
	}
}

// Begin begins the next execution if there is one, unless the peer already has most executions and envelopes.
// It reports whether it has.
func (f *Feed) Begin(n *runtime.Node, now int64, most int) (bool, error) {
	if f.Over() {
		return false, nil
	}
	if s := n.Stats(); s.Live+s.Outbound >= most {
		return false, nil
	}
	switch err := f.begin(n, now, f.module, f.runs[0]); {
	case errors.Is(err, runtime.ErrBooting): // it is tried again
		return false, nil
	case err != nil:
		return false, err
	}
	f.runs = f.runs[1:]
	return true, nil
}

// begin begins an execution of a module with the contents of files.
func (f *Feed) begin(n *runtime.Node, now int64, module string, files []string) error {
	var values []tensor.Value
	for _, file := range files {
		v, err := valueOf(n, file)
		if err != nil {
			return fmt.Errorf("%s: %w", strings.Join(files, ", "), err)
		}
		values = append(values, v)
	}
	if _, err := f.calls.Begin(n, now, f.ended, module, values...); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(files, ", "), err)
	}
	return nil
}

// ended counts an execution that has ended with an error.
func (f *Feed) ended(_ map[string]tensor.Value, err error) {
	if err != nil {
		f.failed++
	}
}

// valueOf returns the peers that are named, or else the tensor in a file.
func valueOf(n *runtime.Node, file string) (tensor.Value, error) {
	if names, ok := strings.CutPrefix(file, At); ok {
		return peers(n, names)
	}
	return readTensor(file)
}

// readTensor reads a .npy file, or a TensorProto.
func readTensor(file string) (*tensor.Tensor, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := tensorio.ReadFile(f)
	if err != nil {
		return nil, err
	}
	var t *tensor.Tensor
	if strings.HasSuffix(file, ".npy") {
		t, err = tensorio.DecodeNPY(b)
	} else {
		t, _, err = tensorio.DecodeTensor(b)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}
