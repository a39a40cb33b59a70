package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
)

// line is what both programs print; times are in microseconds.
type line struct {
	Median float64 `json:"median_us"`
	CPU    float64 `json:"cpu_us"`
	Load   float64 `json:"load_us"`
	Allocs float64 `json:"allocs_per_run"`
}

// row is what was found for one model.
type row struct {
	name  string
	made  bool // by the bench itself
	arena int
	flops int          // 0 where sizes vary
	peer  map[int]line // by threads
	ort   map[int]line
}

// threadCounts are the numbers of threads that each model is timed with.
var threadCounts = []int{1, 2}

// measure builds the peer of a case and times it and ONNX Runtime in turn.
func measure(dir, tmp, ort string, rounds int, budget time.Duration) (*row, error) {
	model := filepath.Join(dir, "model.onnx")
	bin := filepath.Join(tmp, "peer.bin")
	if err := build(model, filepath.Join(tmp, "src"), bin); err != nil {
		return nil, err
	}
	r := &row{name: filepath.Base(dir), peer: map[int]line{}, ort: map[int]line{}}
	if err := r.plan(model); err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "test_data_set_0")
	for _, threads := range threadCounts {
		var mine, theirs []line
		for range rounds {
			l, err := timed(bin, "bench", "-in", data, "-time", budget.String(), "-threads", strconv.Itoa(threads))
			if err != nil {
				return nil, err
			}
			mine = append(mine, l)
			if ort == "" {
				continue
			}
			if l, err = timed(ort, "-threads", strconv.Itoa(threads), "-time", budget.String(), dir); err == nil {
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
	home := project.Home{Dir: dir, Import: "bbgen.local/peer", Own: true}
	files, err := project.Compile(model, home, project.Options{})
	if err != nil {
		return err
	}
	if err := project.Write(dir, files); err != nil {
		return err
	}
	return project.GoBuild(dir, ".", bin)
}

// plan notes what the compiler knows of the model.
func (r *row) plan(model string) error {
	m, err := onnx.ReadFile(model)
	if err != nil {
		return err
	}
	p, err := bbgen.Plan(m, bbgen.Options{})
	if err != nil {
		return err
	}
	r.arena = p.Arena
	r.flops, _ = pass.FLOPs(m).Const()
	return nil
}

// timed runs a program and reads the line it prints.
func timed(name string, args ...string) (line, error) {
	var l line
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return l, fmt.Errorf("%s: %w", name, err)
	}
	return l, json.Unmarshal(out, &l)
}

// median is the median of each figure.
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
