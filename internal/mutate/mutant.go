package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// Mutant is one way to break the engine or a host: a change at one place in a file.
type Mutant struct {
	Name string
	File string // from the root of the repository
	Old  string // the text to replace, which occurs once
	New  string // the replacement
	Want Watch  // what must detect it
}

// Watch is what detects a mutant: the simulator, or the tests of a package.
type Watch string

// simulator is the watch for the engine. Other watches are packages whose short tests detect mutants.
const simulator Watch = "simulator"

// played is the watch of nodes that run hand-written programs.
const played Watch = "runtime/internal/enginetest"

// programs is the watch of components in random programs.
const programs Watch = "internal/simulate"

// text returns the content of the mutant's file with the change.
func (m *Mutant) text(root string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(root, m.File))
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(b, []byte(m.Old)); n != 1 {
		return nil, fmt.Errorf("mutant %q: %s has %q %d times, want it once: mend the table", m.Name, m.File, m.Old, n)
	}
	return bytes.Replace(b, []byte(m.Old), []byte(m.New), 1), nil
}
