package feed

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/runtime"
)

// Ungiven returns the inputs that only a host can give to a peer, if there are no files for them: those of the first
// module that begins with inputs of the host. Bootstraps are not among them; see [Feed.CheckBoots].
func (f *Feed) Ungiven(p *runtime.Partition) []string {
	if f.Any() {
		return nil
	}
	for i := range p.Modules {
		if m := &p.Modules[i]; invoked(m) && !m.Bootstrap {
			return inputs(m)
		}
	}
	return nil
}

// Ask says how inputs are given: with a flag for each, whose value begins with prefix, as in
//
//	inputs x, y: give --in front.x=FILE --in front.y=FILE
func Ask(names []string, flag, prefix string) string {
	s := "input"
	if len(names) > 1 {
		s += "s"
	}
	return fmt.Sprintf("%s %s: give %s", s, strings.Join(names, ", "), flags(names, flag, prefix))
}

func flags(names []string, flag, prefix string) string {
	var list []string
	for _, name := range names {
		list = append(list, fmt.Sprintf("%s %s%s=FILE", flag, prefix, name))
	}
	return strings.Join(list, " ")
}
