// Package pipeline is the command line of a model that is trained in stages: each stage is a process with a part of
// the layers. The micro-batches of a step flow through the stages in the order of package schedule.
//
// The last stage leads: it runs the training loop of package train, to which all stages together are one session. The
// others follow its commands. A stage holds the inputs of the micro-batches whose gradients it waits for, and computes
// its forward pass again when these arrive.
package pipeline
