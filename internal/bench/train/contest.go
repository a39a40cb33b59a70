package main

import (
	_ "embed"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/internal/gobuild"
	"github.com/bbgen/bbgen/internal/project"
)

// contest is the common configuration of all models.
type contest struct {
	tmp     string
	peers   string // the folder of programs that are built already; "" is none
	threads []int  // the numbers of threads that each model is timed with
	rounds  int
	budget  time.Duration
	python  string // "" is none
	gomlx   string // "" is none
	built   string // the program that times gomlx, when it is built
}

// slow limits the time of a step, in budgets: slower contenders are timed in one round only.
const slow = 2

// names are the contenders, bbgen first.
var names = []string{"bbgen", "eager", "compiled", "gomlx"}

// row is the results for one model, by contender and threads.
type row struct {
	*model
	found map[string]map[int]figures
}

//go:embed worker.go.txt
var worker []byte

//go:embed pytorch.py
var pytorch []byte

// run times a model.
func (c *contest) run(m *model) (*row, error) {
	commands, err := c.commands(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.name, err)
	}
	r := &row{m, map[string]map[int]figures{}}
	for _, threads := range c.threads {
		log.Printf("%s, threads: %d", m.name, threads)
		var procs []*process
		for _, name := range names {
			if commands[name] == nil {
				continue
			}
			p, err := start(name, append(commands[name], strconv.Itoa(threads)), threads)
			if err != nil {
				log.Printf("%s: %s: %v", m.name, name, err)
				continue
			}
			procs = append(procs, p)
		}
		for i := range c.rounds {
			procs = slices.DeleteFunc(procs, func(p *process) bool {
				if i > 0 && p.rounds[0].Median > slow*float64(c.budget.Microseconds()) {
					return false
				}
				err := p.step(c.budget)
				if err != nil {
					log.Printf("%s: %s: %v", m.name, p.name, err)
				}
				return err != nil
			})
		}
		for _, p := range procs {
			if r.found[p.name] == nil {
				r.found[p.name] = map[int]figures{}
			}
			f := median(p.rounds)
			r.found[p.name][threads] = f
			log.Printf("  %-8s %8.0f µs a step, %8.0f of processor time, loss %.4g", p.name, f.Median, f.CPU, f.Loss)
			p.stop()
		}
	}
	return r, nil
}

// commands returns the command lines of the contenders, without the number of threads, which is the last
// argument.
func (c *contest) commands(m *model) (map[string][]string, error) {
	bin := filepath.Join(c.peers, m.name)
	if c.peers == "" {
		bin = filepath.Join(c.tmp, m.name+".bin")
		if err := c.build(m, bin); err != nil {
			return nil, err
		}
	}
	out := map[string][]string{"bbgen": {bin, strconv.Itoa(m.batch), strconv.Itoa(m.classes)}}
	if c.python != "" {
		script := filepath.Join(c.tmp, "pytorch.py")
		if err := os.WriteFile(script, pytorch, 0o666); err != nil {
			return nil, err
		}
		out["eager"] = []string{c.python, script, m.name, "eager"}
		out["compiled"] = []string{c.python, script, m.name, "compiled"}
	}
	if c.gomlx != "" {
		if c.built == "" {
			c.built = filepath.Join(c.tmp, "gomlx")
			if err := (gobuild.Build{Dir: c.gomlx, Out: c.built, Env: []string{"GOWORK=off"}}).Run(); err != nil {
				return nil, err
			}
		}
		out["gomlx"] = []string{c.built, m.name}
	}
	return out, nil
}

// build builds the program that trains a model, with a main that measures the time.
func (c *contest) build(m *model, bin string) error {
	module, err := m.read()
	if err != nil {
		return err
	}
	how, err := m.how()
	if err != nil {
		return err
	}
	home := project.Home{Dir: filepath.Join(c.tmp, m.name), Import: "peer.bbgen.local", Own: true}
	r, err := bbgen.Compile(module, bbgen.Config{Source: filepath.Base(m.name), Import: home.Import, Hosts: []string{"train"}, Train: &how})
	if err != nil {
		return err
	}
	for i := range r.Files {
		if r.Files[i].Path == "main.go" {
			r.Files[i] = codegen.NewFile("main.go", worker)
		}
	}
	if err := project.Write(home, r.Files); err != nil {
		return err
	}
	return project.GoBuild(home.Dir, bin)
}
