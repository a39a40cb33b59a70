// Site writes the documentation as a folder of web pages, with pages of bbgen view as examples. It works on
// any web server, and in a browser without a server.
//
//	go run ./internal/site            # writes ./site
//	go run ./internal/site -o DIR
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	out := flag.String("o", "site", "write to this `folder`")
	source := flag.String("source", ".", "the `folder` that bbgen's go.mod is in")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "site: unexpected argument %q; see -h\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := write(ctx, *source, *out); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Println("wrote", *out+"/index.html")
}

// write makes the whole site.
func write(ctx context.Context, source, out string) error {
	s, err := read(source)
	if err != nil {
		return err
	}
	if err := s.write(out); err != nil {
		return err
	}
	return writeExamples(ctx, source, out)
}
