// Bench-federated reproduces comparisons from papers on federated learning in the simulator: SCAFFOLD's
// quadratic functions, FedProx's stragglers, all strategies on digits with unequally divided labels, attacks
// against each robust rule, and noise for privacy. The last line is a JSON object; with -o it also writes a
// page with curves.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/bbgen/bbgen/examples/internal/drawn"
)

func main() {
	log.SetFlags(0)
	only := flag.String("only", "", "run the experiments whose names begin with `text`: digits, quadratics, stragglers, attack, privacy")
	page := flag.String("o", "", "write a page with curves to `file`")
	figure := flag.String("figure", "", "write the chart of the last experiment as an image to `file` (SVG)")
	seeds := flag.Int("seeds", 3, "take the mean of so many `seeds`")
	flag.Parse()
	if err := run(os.Stdout, *only, *page, *figure, *seeds); err != nil {
		log.Fatal(err)
	}
}

// run runs the selected experiments, prints a table for each, and writes the page and the image.
func run(w io.Writer, only, page, figure string, seeds int) error {
	dir, err := os.MkdirTemp("", "bench-federated")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := drawn.Write(dir, trained, judged); err != nil {
		return err
	}
	var results []*result
	summary := map[string]map[string]float64{}
	for _, e := range experiments() {
		if !strings.HasPrefix(e.name, only) {
			continue
		}
		r, err := e.run(dir, max(seeds, 1))
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		r.print(w)
		results = append(results, r)
		summary[e.name] = map[string]float64{}
		for _, row := range e.rows {
			summary[e.name][row.name] = r.last(row.name)
		}
	}
	if len(results) == 0 {
		return fmt.Errorf("no experiment's name begins with %q", only)
	}
	if page != "" {
		if err := os.WriteFile(page, pageOf(results), 0o666); err != nil {
			return err
		}
	}
	if figure != "" {
		if err := os.WriteFile(figure, results[len(results)-1].figure(), 0o666); err != nil {
			return err
		}
	}
	return json.NewEncoder(w).Encode(summary)
}

// The numbers of digits for training and for evaluation.
const (
	trained = 3000
	judged  = 1000
)

// print writes the table of an experiment.
func (r *result) print(w io.Writer) {
	fmt.Fprintf(w, "%s (-only %s)\n", r.title, r.name)
	for i, row := range r.rows {
		fmt.Fprintf(w, "  %-14s  %10.4g ± %.2g\n", row.name, r.last(row.name), r.spread[i]/2)
	}
}
