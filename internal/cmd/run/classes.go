package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime/classes"
)

// class is a class of peers.
type class struct {
	name  string
	ranks []int // of the peers
}

func (c *class) count() int { return len(c.ranks) }

// maxProcesses is the largest number of peers that run as processes.
const maxProcesses = 1024

// maxPeers is the largest number of simulated peers of a class, as in the simulator.
const maxPeers = 1 << 20

// simName is the folder of the program that runs all peers.
const simName = "sim"

// findClasses finds the classes of a program by their main.go files, sorted by name.
func findClasses(dir string) ([]class, error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf(`%s: there is no such folder; "bbgen ./pkg -o %s" writes the peers of a program`, dir, dir)
	case isFile(dir):
		return nil, fmt.Errorf(`%s is a file, want the folder with the peers of a program, which "bbgen ./pkg -o DIR" writes`, dir)
	case err != nil:
		return nil, err
	}
	var list []class
	for _, e := range entries {
		if e.Name() != simName && hasMain(filepath.Join(dir, e.Name())) {
			list = append(list, class{name: e.Name()})
		}
	}
	if list == nil {
		return nil, fmt.Errorf(`%s: found no peers, want CLASS/main.go; "bbgen ./pkg -o %s" writes those of the program in package pkg`, dir, dir)
	}
	return list, nil
}

func isFile(name string) bool {
	st, err := os.Stat(name)
	return err == nil && !st.IsDir()
}

func hasMain(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "main.go"))
	return err == nil
}

// setCounts parses -n, such as server=1,client=8, and sets the peers' ranks: see [classes.Ranks].
func setCounts(dir string, list []class, text string) error {
	counts := map[string]int{}
	for part := range strings.SplitSeq(text, ",") {
		if text == "" {
			break
		}
		name, number, ok := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 1 || n > maxPeers {
			return cli.Usagef("-n: %q, want CLASS=COUNT with a count from 1 to %d", part, maxPeers)
		}
		if named(list, name) == nil {
			return cli.Usagef("-n: there is no class %q in %s; there are: %s", name, dir, names(list))
		}
		counts[name] = n
	}
	var all []string
	for _, c := range list {
		all = append(all, c.name)
	}
	for i, ranks := range classes.Ranks(all, counts) {
		list[i].ranks = ranks
	}
	return nil
}

func named(list []class, name string) *class {
	for i := range list {
		if list[i].name == name {
			return &list[i]
		}
	}
	return nil
}

func names(list []class) string {
	var out []string
	for _, c := range list {
		out = append(out, c.name)
	}
	return strings.Join(out, ", ")
}

func total(list []class) int {
	n := 0
	for _, c := range list {
		n += c.count()
	}
	return n
}

// countsOf returns the value for the simulator's -n.
func countsOf(list []class) string {
	var out []string
	for _, c := range list {
		out = append(out, fmt.Sprintf("%s=%d", c.name, c.count()))
	}
	return strings.Join(out, ",")
}
