package test

import (
	"fmt"
	"os"
	"strings"

	"github.com/bbgen/bbgen/ir"
)

// job is one data set: a model, a folder of inputs, a folder for outputs.
type job struct {
	name, model, in, out string

	program int       // number of the generated program
	outputs []ir.Type // outputs of the model
	err     error     // the reason why it did not run
}

// readJobs reads a list of jobs: name TAB model TAB in TAB out, a line each.
func readJobs(file string) ([]*job, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []*job
	for i, line := range strings.Split(strings.TrimRight(string(b), "\n"), "\n") {
		if line = strings.TrimRight(line, "\r"); line == "" {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("%s:%d: got %d fields, want name, model, in and out, separated by tabs", file, i+1, len(f))
		}
		out = append(out, &job{name: f[0], model: f[1], in: f[2], out: f[3]})
	}
	return out, nil
}
