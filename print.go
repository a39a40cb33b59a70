package bbgen

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/codegen"
)

// print generates the files.
func (c *compilation) print() error {
	switch {
	case c.Program != nil:
		return errors.Join(c.printProgram(), c.checkLinked(maxLinked))
	case c.Trainer != nil:
		return errors.Join(c.printTrainer(), c.checkLinked(maxLinked))
	}
	return c.printModel()
}

// maxLinked is the largest size in bytes of weights in one program: Go's linker takes 2 GB of data, and there is more than
// weights.
const maxLinked = 2e9 - 1<<24

// checkLinked returns an error for embedded weights that the linker would refuse, after a long time and without saying what
// they are. A trainer has one program, also with several stages, and a distributed program one for each class.
func (c *compilation) checkLinked(most int64) error {
	sums := map[string]int64{} // by the name of a class, or ""
	for _, f := range c.Files {
		if path.Base(f.Path) != "weights.bin" {
			continue
		}
		class := ""
		if c.Program != nil {
			class, _, _ = strings.Cut(f.Path, "/")
		}
		sums[class] += int64(f.Len())
	}
	for _, class := range slices.Sorted(maps.Keys(sums)) {
		if n := sums[class]; n > most {
			return fmt.Errorf("%s: %d MB of weights are in one program, want at most %d MB, as Go links no more", cmp.Or(class, c.Source), n/1e6, most/1e6)
		}
	}
	return nil
}

// looks returns the options of the generated package.
func (c *compilation) looks() codegen.Options {
	return codegen.Options{Package: cmp.Or(c.Package, "model"), Source: c.Source, Sidecar: c.Sidecar, Golden: c.Golden != nil}
}

// put adds files in the folder dir.
func (c *compilation) put(dir string, files []codegen.File) {
	for _, f := range files {
		f.Path = path.Join(dir, f.Path)
		c.Files = append(c.Files, f)
	}
}

// putMain adds the program in the folder dir, if it could be generated.
func (c *compilation) putMain(dir string, main []byte, err error) error {
	if err == nil {
		c.put(dir, []codegen.File{codegen.NewFile("main.go", main)})
	}
	return err
}

// printModel generates the package of a model and its program.
func (c *compilation) printModel() error {
	if c.Plan.WeightBytes() > MaxEmbedded {
		c.Sidecar = true
	}
	files, err := codegen.Generate(c.Modules[0], c.Plan, c.looks())
	if err != nil {
		return err
	}
	pkg, program := c.folders()
	c.put(pkg, files)
	c.put(pkg, c.Golden)
	if c.Import == "" {
		return nil
	}
	main, err := codegen.Main(path.Join(c.Import, pkg), c.Verbs)
	return c.putMain(program, main, err)
}

// printTrainer generates the package of a trainer and its program.
func (c *compilation) printTrainer() error {
	files, err := codegen.GenerateTrainer(c.Trainer, c.looks())
	if err != nil {
		return err
	}
	pkg, program := c.folders()
	c.put(pkg, files)
	if c.Import == "" {
		return nil
	}
	if len(c.Hosts) != 1 {
		return fmt.Errorf("%s: a trainer runs on one host, there are %q", c.Source, c.Hosts)
	}
	main, err := codegen.TrainMain(path.Join(c.Import, pkg), c.Hosts[0])
	return c.putMain(program, main, err)
}

// folders returns the folders of a model's package and of its program.
func (c *compilation) folders() (pkg, program string) {
	switch {
	case c.Import == "":
		return ".", ""
	case c.Package == "":
		return "model", "."
	}
	return ".", path.Join("cmd", c.Package)
}
