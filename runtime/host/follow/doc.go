// Package follow is what hosts make of the events of a node: which executions that they have
// begun are still open, and which loops of rounds are.
package follow
