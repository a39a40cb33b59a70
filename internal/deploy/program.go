package deploy

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Program is the program to deploy: the classes of a distributed program, or one model.
type Program struct {
	Name        string
	Fingerprint string // of a distributed program, in hex: peers with the same one can communicate
	Classes     []Class
}

// Class is one program: of a class of peers, or of a model.
type Class struct {
	Name    string // "" for a model
	Dir     string // of its main.go
	Serves  bool   // it is a model's program that answers HTTP
	Sidecar string // the file of its weights, if they are not embedded
}

// IsModel reports whether the program is a model: it has no peers.
func (p *Program) IsModel() bool { return len(p.Classes) == 1 && p.Classes[0].Name == "" }

// Unit returns the name of a class outside of bbgen: in lower case, with only letters, digits and dashes.
func (p *Program) Unit(c *Class) string {
	if c.Name == "" {
		return slug(p.Name)
	}
	return slug(p.Name + "-" + c.Name)
}

// slug returns a valid name for hosts, images and units.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if r < 'a' || r > 'z' {
			if r < '0' || r > '9' {
				r = '-'
			}
		}
		if r != '-' || b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteRune(r)
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}

const (
	pkgPeer  = "github.com/bbgen/bbgen/runtime/host/peer"
	pkgRun   = "github.com/bbgen/bbgen/runtime/host/run"
	pkgServe = "github.com/bbgen/bbgen/runtime/host/serve"
)

// Find reads the generated programs in dir: the peers of a program, each in its own folder, or a model's
// program.
func Find(dir string) (*Program, error) {
	files, err := mains(dir)
	if err != nil {
		return nil, err
	}
	p := new(Program)
	for _, file := range files {
		whole, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		m, err := readMain(whole)
		if err != nil {
			return nil, err
		}
		switch {
		case m.imports(pkgPeer) != "":
			err = p.addPeer(m)
		case m.imports(pkgRun) != "":
			err = p.addModel(m)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return p, p.check(dir)
}

// mains returns the files of main programs in dir, sorted.
func mains(dir string) ([]string, error) {
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf(`%s: there is no such folder; "bbgen INPUT -o %s" writes a program`, dir, dir)
	} else if err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s: found a file, want the folder that bbgen wrote", dir)
	}
	var files []string
	for _, pattern := range []string{"main.go", "*/main.go", "cmd/*/main.go"} {
		found, err := filepath.Glob(filepath.Join(escape(dir), filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

// escape returns dir as a pattern that only matches itself.
func escape(dir string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(dir)
}

// check requires peers of one program, or one model.
func (p *Program) check(dir string) error {
	names := map[string]string{}
	for i := range p.Classes {
		c := &p.Classes[i]
		unit := p.Unit(c)
		if unit == "" {
			return fmt.Errorf("%s: the program %q has a name without letters and digits: generate it with another name", c.Dir, p.Name)
		}
		if other, ok := names[unit]; ok {
			return fmt.Errorf("%s: the programs in %s and %s are both called %s where they are deployed: give one DIR for each", dir, other, c.Dir, unit)
		}
		names[unit] = c.Dir
	}
	if len(p.Classes) == 0 {
		return fmt.Errorf(`%s: found no program of bbgen's, want CLASS/main.go, main.go or cmd/NAME/main.go; "bbgen INPUT -o %s" writes one`, dir, dir)
	}
	return nil
}

// addPeer adds the program of a class of peers.
func (p *Program) addPeer(m *mainFile) error {
	name, class := m.text("Name"), m.text("Class")
	if name == "" || class == "" {
		return errors.New("found no peer.Program with a Name and a Class: generate it again")
	}
	if p.Classes != nil && (p.IsModel() || p.Name != name) {
		return fmt.Errorf("a peer of the program %q stands beside the program %q: give a folder with one of them", name, p.Name)
	}
	fingerprint, err := m.fingerprint()
	if err != nil {
		return err
	}
	if p.Classes != nil && p.Fingerprint != fingerprint {
		return fmt.Errorf("class %s has another fingerprint than class %s, so their peers would refuse each other: generate the program again", class, p.Classes[0].Name)
	}
	p.Name, p.Fingerprint = name, fingerprint
	p.Classes = append(p.Classes, Class{Name: class, Dir: m.dir})
	return nil
}

// addModel adds the program of a model.
func (p *Program) addModel(m *mainFile) error {
	if p.Classes != nil {
		return fmt.Errorf("a model's program stands beside the program %q: give a folder with one of them", p.Name)
	}
	pkg := m.modelDir()
	source, err := os.ReadFile(filepath.Join(pkg, "tensors.bb.go"))
	if err != nil {
		return fmt.Errorf("%w: generate the model again", err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if p.Name = textOf(f, "Name"); p.Name == "" {
		p.Name = filepath.Base(pkg)
	}
	c := Class{Dir: m.dir, Serves: m.imports(pkgServe) != ""}
	weights, err := os.ReadFile(filepath.Join(pkg, "weights.bb.go"))
	if err == nil && !strings.Contains(string(weights), "//go:embed") {
		c.Sidecar = filepath.Join(pkg, "weights.bin")
	}
	p.Classes = append(p.Classes, c)
	return nil
}
