package optest

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/bbgen/bbgen/internal/forward"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/pass"
)

// A body is a module that does not fit into a line, with lines of its inputs and outputs.
type body struct {
	name   string
	module *ir.Module
	cases  []*forward.Case
}

// readBodies reads an archive: each module, NAME.ir, is followed by its cases, NAME.txt.
func readBodies(file string) ([]*body, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []*body
	for _, f := range txtar.Parse(text).Files {
		if name, ok := strings.CutSuffix(f.Name, ".ir"); ok {
			m, err := ir.Parse(f.Name, string(f.Data))
			if err != nil {
				return nil, err
			}
			out = append(out, &body{name: name, module: m})
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			c, err := forward.Parse(strings.TrimSpace(line))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			b := out[len(out)-1]
			b.cases = append(b.cases, c)
		}
	}
	return out, nil
}

// bodiesRun evaluates the modules.
func bodiesRun(f *family, errorf errorf) {
	for _, b := range f.bodies {
		m := b.module.Clone()
		refused := pass.Run(m, pass.Pipeline, nil)
		for _, c := range b.cases {
			if c.Refused != "" {
				otherwise(errorf, b.name, refused, c.Refused)
				continue
			}
			err := refused
			if err == nil {
				err = everywhere(func() error {
					out, err := eval.Run(m.Main, c.In)
					if err != nil {
						return err
					}
					return agree(out, c)
				})
			}
			if err != nil {
				errorf("%s: %v\n%s", b.name, err, c.Text)
			}
		}
	}
}
