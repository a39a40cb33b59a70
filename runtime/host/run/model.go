package run

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// maxPrinted is how many elements of an output are printed.
const maxPrinted = 16

func runModel(p model.Program, args []string, stdout io.Writer) error {
	f := Flags("run")
	var in inputs
	f.Var(&in, "in", "an input as `NAME=FILE` (.pb or .npy), or a folder of input_I.pb or input_I.npy; may be repeated")
	var out outputs
	f.Var(&out, "out", "a folder for all outputs, as output_I.pb, or `NAME=FILE` for one of them (.pb or .npy); may be repeated; without it outputs are printed")
	npy := f.Bool("npy", false, "write output_I.npy to the folder of -out")
	threads := f.Int("threads", 0, "threads to use; 0 is all")
	if err := Parse(f, args, "run -in x=image.npy -out y=result.npy", stdout); err != nil {
		return err
	}
	if err := setThreads(*threads); err != nil {
		return err
	}
	files, err := out.files(p, *npy)
	if err != nil {
		return err
	}
	s, err := p.New()
	if err != nil {
		return err
	}
	if err := in.load(p, s); err != nil {
		return err
	}
	if err := s.Run(); err != nil {
		return err
	}
	if len(out) == 0 {
		return printOutputs(p, s, stdout)
	}
	return writeAll(p, s, files, disk.Replace)
}

// setThreads makes kernels use n threads, or as many as the machine has whole processors if n is 0, and limits
// tensors to the machine's memory.
func setThreads(n int) error {
	if n < 0 {
		return Usagef("-threads is %d, want 0 or more", n)
	}
	m := machine.Read()
	tensor.SetLimit(m.Memory)
	if n == 0 {
		n = m.Threads()
	}
	cpu.SetThreads(n)
	return nil
}

// firstElements are the elements of a tensor, up to a number of them. Strings are quoted, as
// they may hold blanks.
func firstElements(v *tensor.Tensor) string {
	n := v.Len()
	first := reflect.ValueOf(v.Data).Slice(0, min(n, maxPrinted)).Interface()
	text := fmt.Sprint(first)
	if _, ok := first.([]string); ok {
		text = fmt.Sprintf("%q", first)
	}
	if n <= maxPrinted {
		return text
	}
	return strings.TrimSuffix(text, "]") + fmt.Sprintf(" … %d more]", n-maxPrinted)
}

func printOutputs(p model.Program, s model.Session, w io.Writer) error {
	for i, o := range p.Outputs {
		fmt.Fprintf(w, "%s %s\n", o.Name, summary(s.Output(i)))
	}
	return nil
}

// summary returns the type of a value and its first elements.
func summary(v tensor.Value) string {
	switch v := v.(type) {
	case *tensor.Tensor:
		return v.String() + " " + firstElements(v)
	case *tensor.Sequence:
		return sequenceSummary(v)
	case *tensor.Map:
		return mapSummary(v)
	case *tensor.Optional:
		if v.Value == nil {
			return "none"
		}
		return summary(v.Value)
	}
	return "nothing"
}

// sequenceSummary returns the length of a list; the maps of classifiers are shown, up to a number of them.
func sequenceSummary(s *tensor.Sequence) string {
	text := fmt.Sprintf("sequence of %d", len(s.Items))
	for i, v := range s.Items {
		m, ok := v.(*tensor.Map)
		if !ok {
			break
		}
		if i == maxPrinted {
			return text + fmt.Sprintf("\n  … %d more", len(s.Items)-maxPrinted)
		}
		text += "\n  " + mapSummary(m)
	}
	return text
}

// mapSummary returns the first keys of a map with their values.
func mapSummary(m *tensor.Map) string {
	var b strings.Builder
	for i := range min(m.Keys.Len(), maxPrinted) {
		key, value := firstElements(m.Keys.Item(i)), firstElements(m.Values.Item(i))
		fmt.Fprintf(&b, " %s:%s", key[1:len(key)-1], value[1:len(value)-1])
	}
	if n := m.Keys.Len(); n > maxPrinted {
		fmt.Fprintf(&b, " … %d more", n-maxPrinted)
	}
	return "map[" + strings.TrimPrefix(b.String(), " ") + "]"
}
