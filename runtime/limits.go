package runtime

import "github.com/bbgen/bbgen/runtime/limits"

// How much there may be of what grows is said by package limits. The types are aliases, as
// hosts write their names.
type (
	// Limits bound every queue and table of a [Node]. They grow as they are used;
	// what is beyond a limit is dropped, counted and told as an [Overflow] event, or
	// refused with an error where somebody is there to hear it.
	Limits = limits.Limits

	// Machine is what a Node may use of the machine that it runs on. Its host finds out.
	Machine = limits.Machine
)

// DefaultLimits returns the limits of a peer on a server or desktop.
func DefaultLimits() Limits { return limits.Default() }

// EdgeLimits returns the limits of a peer on a small device.
func EdgeLimits() Limits { return limits.Edge() }

// LimitsFor returns the limits of a peer on a machine: the defaults, or less where
// those would be more than the machine has.
func LimitsFor(m Machine) Limits { return limits.For(m) }
