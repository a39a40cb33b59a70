package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/bench/peak"
	"github.com/bbgen/bbgen/internal/bench/section"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// line is the output of both programs; times are in microseconds.
type line struct {
	Median float64 `json:"median_us"`
	CPU    float64 `json:"cpu_us"`
	Load   float64 `json:"load_us"`
	Allocs float64 `json:"allocs_per_run"`
}

// row is the result for one model.
type row struct {
	name  string
	made  bool // by the bench itself
	arena int
	flops int          // 0 if unknown
	peak  float64      // GFLOP/s of one thread
	peer  map[int]line // by threads
	ort   map[int]line
}

// bench is how models are measured.
type bench struct {
	ort     string // the program that times ONNX Runtime; "": none
	peers   string // the folder of built peers
	rounds  int
	budget  time.Duration
	threads section.Counts
}

// peer returns where the built peer of a case is.
func (b *bench) peer(dir string) string { return filepath.Join(b.peers, filepath.Base(dir)) }

// buildAll generates and builds the peers of some cases. It reports whether there are any.
func (b *bench) buildAll(dirs []string, tmp string) (any bool) {
	for i, dir := range dirs {
		log.Printf("building %d of %d: %s", i+1, len(dirs), filepath.Base(dir))
		if err := build(filepath.Join(dir, "model.onnx"), filepath.Join(tmp, strconv.Itoa(i)), b.peer(dir)); err != nil {
			log.Printf("%s: %v", dir, err)
			continue
		}
		any = true
	}
	return any
}

// measure times the peer of a case and ONNX Runtime in turn.
func (b *bench) measure(dir string) (*row, error) {
	r := &row{name: filepath.Base(dir), peer: map[int]line{}, ort: map[int]line{}}
	data := filepath.Join(dir, "test_data_set_0")
	if err := r.plan(filepath.Join(dir, "model.onnx"), data); err != nil {
		return nil, err
	}
	for _, threads := range b.threads {
		var mine, theirs []line
		for range b.rounds {
			if threads == 1 {
				r.peak = max(r.peak, peak.Together(1, peakFLOPs))
			}
			l, err := timed(b.peer(dir), "bench", "-in", data, "-time", b.budget.String(), "-threads", strconv.Itoa(threads))
			if err != nil {
				return nil, err
			}
			mine = append(mine, l)
			if b.ort == "" {
				continue
			}
			if l, err = timed(b.ort, "-threads", strconv.Itoa(threads), "-time", b.budget.String(), dir); err == nil {
				theirs = append(theirs, l)
			}
		}
		r.peer[threads] = median(mine)
		if len(theirs) > 0 {
			r.ort[threads] = median(theirs)
		}
	}
	return r, nil
}

func build(model, dir, bin string) error {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	home := project.Home{Dir: dir, Import: "bbgen.local/peer", Own: true}
	m, err := onnx.ReadFile(model)
	if err != nil {
		return err
	}
	r, err := bbgen.Compile(m, bbgen.Config{Source: filepath.Base(model), Import: home.Import})
	if err != nil {
		return err
	}
	if err := project.Write(home, r.Files); err != nil {
		return err
	}
	return project.GoBuild(dir, ".", bin)
}

// plan records the compiler's data about the model. Its inputs are in a folder.
func (r *row) plan(model, data string) error {
	m, err := onnx.ReadFile(model)
	if err != nil {
		return err
	}
	c, err := bbgen.Compile(m, bbgen.Config{Until: "plan"})
	if err != nil {
		return err
	}
	r.arena = c.Plan.Arena
	sizes, err := sizes(m, data)
	if err != nil {
		return err
	}
	r.flops, _ = pass.FLOPs(m).Eval(func(sym string) (int, bool) {
		n, ok := sizes[sym]
		return n, ok
	})
	return nil
}

// sizes returns the values of the symbolic sizes of a model's inputs in a folder.
func sizes(m *ir.Module, data string) (map[string]int, error) {
	found := map[string]int{}
	for i, p := range m.Main.Body.Params {
		b, err := os.ReadFile(filepath.Join(data, fmt.Sprintf("input_%d.pb", i)))
		if err != nil {
			return nil, err
		}
		t, _, err := tensorio.DecodeTensor(b)
		if err != nil || len(t.Shape) != len(p.Type.Shape) {
			continue // no tensor, or one of any rank
		}
		for d, n := range t.Shape {
			if sym, ok := p.Type.Shape[d].Symbol(); ok {
				found[sym] = n
			}
		}
	}
	return found, nil
}

// peakFLOPs is how many operations the peak is measured with: some milliseconds' worth.
const peakFLOPs = 1e9

// timed runs a program and reads the line it prints.
func timed(name string, args ...string) (line, error) {
	var l line
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return l, fmt.Errorf("%s: %w", name, err)
	}
	return l, json.Unmarshal(out, &l)
}

// median returns the median of each figure.
func median(ls []line) line {
	pick := func(f func(line) float64) float64 {
		v := make([]float64, len(ls))
		for i, l := range ls {
			v[i] = f(l)
		}
		slices.Sort(v)
		return v[len(v)/2]
	}
	return line{
		Median: pick(func(l line) float64 { return l.Median }),
		CPU:    pick(func(l line) float64 { return l.CPU }),
		Load:   pick(func(l line) float64 { return l.Load }),
		Allocs: pick(func(l line) float64 { return l.Allocs }),
	}
}
