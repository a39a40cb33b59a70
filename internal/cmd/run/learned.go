package run

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/internal/cmd/export"
	"github.com/bbgen/bbgen/internal/cmd/models"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// learned selects the output of a program that is written as an ONNX model.
type learned struct {
	model string // the file to write; "": none
	name  string // CLASS.NAME of the output; "": the one with the size of a model
	best  string // NAME or NAME:min of a number emitted by the same peer; "": the last round
}

// check compares the flags with the outputs of the program whose peers are in a folder.
func (l *learned) check(dir string, classes []class) error {
	class, name, dotted := strings.Cut(l.name, ".")
	best, order, _ := strings.Cut(l.best, ":")
	switch {
	case l.model == "" && (l.name != "" || l.best != ""):
		return cli.Usagef("--model-output and --best say which model is written: give --model FILE, too")
	case l.name != "" && !dotted:
		return cli.Usagef("--model-output %s: want CLASS.NAME, as in server.model", l.name)
	case l.name != "" && named(classes, class) == nil:
		return cli.Usagef("--model-output %s: there is no class %q; there are: %s", l.name, class, names(classes))
	case !slices.Contains([]string{"", "min", "max"}, order):
		return cli.Usagef("--best %s: the best one is %q, want min or max", l.best, order)
	}
	if l.model == "" {
		return nil
	}
	known, err := models.Read(dir)
	if err != nil {
		return fmt.Errorf("--model: %w", err)
	}
	if err := hasOutput(known, class, name); err != nil {
		return cli.Usagef("--model-output %s: %v", l.name, err)
	}
	if err := hasOutput(known, class, best); err != nil {
		return cli.Usagef("--best %s: %v", l.best, err)
	}
	return nil
}

// hasOutput returns an error if the class, or any if it is "", has no output of the name. No name is no error.
func hasOutput(known *models.List, class, name string) error {
	all := known.OutputsOf(class)
	switch {
	case name == "" || slices.Contains(all, name):
		return nil
	case len(all) == 0:
		return fmt.Errorf("the program gives its host no output there")
	}
	return fmt.Errorf("there is no output %q; there are: %s", name, strings.Join(all, ", "))
}

// output is a value that a peer passed to its host.
type output struct {
	peer, name string
	number     int // of the execution
	file       string
}

// of returns the output's name as in programs: server.model.
func (o *output) of() string {
	return o.peer[:max(0, strings.LastIndex(o.peer, "-"))] + "." + o.name
}

var numbered = regexp.MustCompile(`^(.+)-(\d+)\.npy$`)

// outputs returns the files that peers have written in a folder since a time, sorted by peer, name and
// number.
func outputs(dir string, since time.Time) ([]output, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.npy"))
	if err != nil {
		return nil, err
	}
	var list []output
	for _, f := range files {
		m := numbered.FindStringSubmatch(filepath.Base(f))
		if st, err := os.Stat(f); m == nil || err != nil || st.ModTime().Before(since) {
			continue
		}
		if n, err := strconv.Atoi(m[2]); err == nil {
			list = append(list, output{filepath.Base(filepath.Dir(f)), m[1], n, f})
		}
	}
	for i := range list {
		for _, origin := range list {
			list[i].name = strings.TrimSuffix(list[i].name, "-"+origin.peer)
		}
	}
	slices.SortStableFunc(list, func(a, b output) int {
		if c := strings.Compare(a.peer+"/"+a.name, b.peer+"/"+b.name); c != 0 {
			return c
		}
		return a.number - b.number
	})
	return list, nil
}

// write converts the selected output to an ONNX model. It returns a description of the output.
func (l *learned) write(peers, out string, since time.Time) (string, error) {
	known, err := models.Read(peers)
	if err != nil {
		return "", fmt.Errorf("--model: %w", err)
	}
	all, err := outputs(out, since)
	if err != nil {
		return "", err
	}
	fit, err := l.candidates(all, known)
	if err != nil {
		return "", err
	}
	chosen, err := l.choose(fit, all)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s of %s, execution %d", chosen.name, chosen.peer, chosen.number), export.Weights(peers, chosen.file, l.model, export.Options{})
}

// candidates returns the outputs of one peer with one name that have the size of a model.
func (l *learned) candidates(all []output, known *models.List) ([]output, error) {
	var fit []output
	var names []string
	for _, o := range all {
		t, err := readOutput(o.file)
		if err != nil {
			return nil, err
		}
		if len(t.Shape) != 1 || t.DType != tensor.Float32 || l.name != "" && l.name != o.of() {
			continue
		}
		if _, err := known.BySize(t.Len()); err != nil {
			continue
		}
		fit = append(fit, o)
		if !slices.Contains(names, o.of()) {
			names = append(names, o.of())
		}
	}
	switch {
	case len(all) == 0:
		return nil, errors.New("--model: no peer has given its host an output")
	case len(fit) == 0 && l.name != "":
		return nil, fmt.Errorf("--model-output %s: no such output is as large as a model of the program", l.name)
	case len(fit) == 0:
		return nil, fmt.Errorf("--model: the program gives its host no output that is as large as one of its models; g.Output of the parameters, on the peer that has them, does")
	case len(names) > 1:
		return nil, fmt.Errorf("--model: %s are as large as a model: say which with --model-output", strings.Join(names, " and "))
	}
	return slices.DeleteFunc(fit, func(o output) bool { return o.peer != fit[0].peer }), nil
}

// choose returns the last or the best of some outputs.
func (l *learned) choose(fit, all []output) (output, error) {
	last := fit[len(fit)-1]
	if l.best == "" {
		return last, nil
	}
	name, order, _ := strings.Cut(l.best, ":")
	sign := 1.0
	if order == "min" {
		sign = -1
	}
	best, found := math.Inf(-1), false
	for _, o := range fit {
		for _, m := range all {
			if m.peer != o.peer || m.name != name || m.number != o.number {
				continue
			}
			t, err := readOutput(m.file)
			if err != nil {
				return last, err
			}
			v, ok := t.Data.([]float32)
			if !ok || len(v) != 1 {
				return last, fmt.Errorf("--best %s: %s is %v, want one float32", l.best, m.file, t)
			}
			if score := sign * float64(v[0]); !found || score > best {
				best, found, last = score, true, o
			}
		}
	}
	if !found {
		return last, fmt.Errorf("--best %s: %s gives no %s with its model", l.best, last.peer, name)
	}
	return last, nil
}

func readOutput(file string) (*tensor.Tensor, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t, err := tensorio.DecodeNPY(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}
