package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Sizes declares a flag that maps names to positive numbers, as in batch=1,seq=128.
func Sizes(f *pflag.FlagSet, to *map[string]int, name, usage string) {
	f.Var(&sizes{to}, name, usage)
}

// Complete sets the values that a shell offers for a flag.
func Complete(cmd *cobra.Command, flag string, values ...string) {
	offer := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc(flag, offer); err != nil {
		panic("BUG: " + err.Error())
	}
}

// Bind declares a [Sizes] flag for the symbolic dimensions of a model's inputs.
func Bind(f *pflag.FlagSet, to *map[string]int) {
	Sizes(f, to, "bind", "fix symbolic dimensions to these `sizes`, as in batch=1,seq=128")
}
