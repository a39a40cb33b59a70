// Teacher runs a network that reads digits and teaches smaller ones, which peers with few labels train in the
// simulator. The last line is a JSON object.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"

	"github.com/bbgen/bbgen/examples/internal/drawn"
	"github.com/bbgen/bbgen/examples/teacher/program"
	"github.com/bbgen/bbgen/runtime/host/sim"

	pupil "github.com/bbgen/bbgen/examples/teacher/peer/pupil/partition"
	teacher "github.com/bbgen/bbgen/examples/teacher/peer/teacher/partition"
)

func main() {
	log.SetFlags(0)
	chaos := flag.String("chaos", "", "what goes wrong, as in loss=5%,kill=10%")
	flag.Parse()
	if err := run(os.Stdout, *chaos); err != nil {
		log.Fatal(err)
	}
}

// result is the last line: the fraction of digits that each network recognizes.
type result struct {
	Rounds  int     `json:"rounds"`
	Teacher float64 `json:"teacher"`
	Taught  float64 `json:"taught"` // the students' accuracy with the teacher's probabilities
	Alone   float64 `json:"alone"`  // the accuracy without them

	told int // number of these two reported in the round
}

// run runs the peers.
func run(w io.Writer, chaos string) error {
	dir, err := os.MkdirTemp("", "teacher")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := drawn.Write(dir, 8000, program.Tests); err != nil {
		return err
	}
	args := []string{"-n", "pupil=" + strconv.Itoa(program.Pupils), "-data", dir}
	if chaos != "" {
		args = append(args, "-chaos", chaos)
	}
	var out bytes.Buffer
	p := sim.Program{Name: "teacher", Classes: []sim.Class{{Name: "pupil", Partition: pupil.Default}, {Name: "teacher", Partition: teacher.Default}}}
	if err := sim.Do(p, args, &out, io.Discard); err != nil {
		return err
	}
	var r result
	for line := range bytes.Lines(out.Bytes()) {
		r.read(w, line)
	}
	if r.Rounds != program.Rounds {
		return fmt.Errorf("%d rounds, want %d\n%s", r.Rounds, program.Rounds, out.Bytes())
	}
	return json.NewEncoder(w).Encode(r)
}

// read handles a line of the simulator.
func (r *result) read(w io.Writer, line []byte) {
	var l struct {
		Name  string
		Value []float64
	}
	if json.Unmarshal(line, &l) != nil || len(l.Value) != 1 {
		return
	}
	switch l.Name {
	case "teacher":
		r.Teacher = l.Value[0]
		return
	case "taught":
		r.Taught = l.Value[0]
	case "alone":
		r.Alone = l.Value[0]
	default:
		return
	}
	if r.told++; r.told == 2 {
		r.told = 0
		r.Rounds++
		fmt.Fprintf(w, "round %2d: %.1f %% of the digits read right by the taught, %.1f %% by those who learn alone\n", r.Rounds, 100*r.Taught, 100*r.Alone)
	}
}
