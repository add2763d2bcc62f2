#!/bin/bash
#SBATCH --job-name=train
#SBATCH --output=train-%j.out
#SBATCH --time=10
#SBATCH --cpus-per-task=1
#SBATCH --mem=200

# Looks for the trainer in the directory of submission, unless TRAINER names it.
python3 "${TRAINER:-$SLURM_SUBMIT_DIR/train.py}" --checkpoint "checkpoint-$SLURM_JOB_ID.json"
