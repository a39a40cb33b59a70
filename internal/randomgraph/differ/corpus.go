package differ

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/internal/randomgraph"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
)

// A case is a file with a model: in text form, or as ONNX if its constants are too large for that. Its
// metadata describe the runs.
const (
	seedKey  = "random.seed"
	dataKey  = "random.data"
	runsKey  = "random.runs"
	foundKey = "random.found"
)

// Save writes the model of a failure to a file in dir, and returns its name.
func Save(dir string, f *Failure) (string, error) {
	m := f.Model.Module.Clone()
	line, _, _ := strings.Cut(f.Err.Error(), "\n")
	m.Meta = []ir.Metadata{
		{Key: seedKey, Value: fmt.Sprint(f.Model.Seed)},
		{Key: dataKey, Value: fmt.Sprint(f.Model.Data)},
		{Key: runsKey, Value: runsText(f.Model.Runs)},
		{Key: foundKey, Value: string(f.Stage) + ": " + line},
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	name := filepath.Join(dir, fmt.Sprintf("%s_%d", f.Stage, f.Model.Seed))
	for _, c := range m.Main.Consts() {
		if c.Const.Len() > ir.MaxPrinted {
			b, err := onnx.Encode(m)
			if err != nil {
				return "", err
			}
			return name + ".onnx", os.WriteFile(name+".onnx", b, 0o666)
		}
	}
	return name + ".ir", os.WriteFile(name+".ir", []byte(ir.Print(m)+"\n"), 0o666)
}

// Load reads a file that [Save] wrote.
func Load(name string) (*randomgraph.Model, error) {
	m, err := read(name)
	if err != nil {
		return nil, err
	}
	out := &randomgraph.Model{Module: m}
	for _, kv := range m.Meta {
		switch kv.Key {
		case seedKey:
			out.Seed, err = strconv.ParseUint(kv.Value, 10, 64)
		case dataKey:
			var n int
			n, err = strconv.Atoi(kv.Value)
			out.Data = randomgraph.Data(n)
		case runsKey:
			out.Runs, err = parseRuns(kv.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, kv.Key, err)
		}
	}
	return out, nil
}

func read(name string) (*ir.Module, error) {
	if filepath.Ext(name) == ".onnx" {
		return onnx.ReadFile(name)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return ir.Parse(name, string(b))
}

// runsText is n=3 m=1; n=2 m=5.
func runsText(runs []randomgraph.Run) string {
	var all []string
	for _, r := range runs {
		var one []string
		for s, n := range r {
			one = append(one, fmt.Sprintf("%s=%d", s, n))
		}
		sort.Strings(one)
		all = append(all, strings.Join(one, " "))
	}
	return strings.Join(all, ";")
}

func parseRuns(text string) ([]randomgraph.Run, error) {
	var out []randomgraph.Run
	for _, one := range strings.Split(text, ";") {
		r := randomgraph.Run{}
		for _, f := range strings.Fields(one) {
			s, n, _ := strings.Cut(f, "=")
			k, err := strconv.Atoi(n)
			if err != nil {
				return nil, err
			}
			r[s] = k
		}
		out = append(out, r)
	}
	return out, nil
}
