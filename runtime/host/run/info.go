package run

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/model"
)

// description is what info prints as JSON; the names are those of bbgen inspect.
type description struct {
	Name    string `json:"name"`
	File    string `json:"file"` // the model that the code was generated from
	Weights int    `json:"weight_bytes"`
	Arena   int    `json:"arena_bytes"`
	Level   string `json:"level"`
	Inputs  []port `json:"inputs"`
	Outputs []port `json:"outputs"`
}

type port struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

func info(p model.Program, args []string, stdout io.Writer) error {
	f := Flags("info")
	asJSON := f.Bool("json", false, "print JSON")
	if err := Parse(f, args, "info -json", stdout); err != nil {
		return err
	}
	d := description{p.Name, p.Source, p.Weights, p.Arena, cpu.CurrentLevel().String(), describe(p.Inputs), describe(p.Outputs)}
	if *asJSON {
		return printJSON(stdout, d)
	}
	fmt.Fprintf(stdout, "model   %s, from %s\n", d.Name, d.File)
	fmt.Fprintf(stdout, "weights %d bytes\narena   %d bytes a run%s\nlevel   %s\n", d.Weights, d.Arena, varying(p.Inputs), d.Level)
	for _, x := range d.Inputs {
		fmt.Fprintf(stdout, "input   %s %s\n", x.Name, x.Type)
	}
	for _, x := range d.Outputs {
		fmt.Fprintf(stdout, "output  %s %s\n", x.Name, x.Type)
	}
	return nil
}

func describe(ports []model.Port) []port {
	out := []port{}
	for _, p := range ports {
		out = append(out, port{p.Name, p.Type})
	}
	return out
}

// varying says what the arena does not count: values whose sizes inputs decide.
func varying(ports []model.Port) string {
	sizes := map[string]bool{}
	for _, p := range ports {
		for _, d := range p.Dims {
			if _, err := strconv.Atoi(d); err != nil {
				sizes[d] = true
			}
		}
	}
	if len(sizes) == 0 {
		return ""
	}
	return ", and what grows with " + strings.Join(slices.Sorted(maps.Keys(sizes)), ", ")
}
